import type { SMTPServerSession } from 'smtp-server';
import { type Connection, cutOff } from '../smtp-submission/connection.ts';
import type { DrainedSession } from '../smtp-submission/drain-servers.ts';

/** Our state of one connection in addition to the library's. */
export interface ReportSession extends DrainedSession {
  message: Promise<unknown> | null;
  refusedRecipients: number;
  messages: number;
  /** Closes the connection, whatever it is doing. */
  readonly deadline: NodeJS.Timeout;
  readonly address: string;
}

/** The sessions of the open connections. */
export interface ReportSessions {
  /** False if the client's address has reached its limit. */
  hasRoom(address: string): boolean;
  open(session: SMTPServerSession, connection: Connection): void;
  of(session: SMTPServerSession): ReportSession;
  close(session: SMTPServerSession): void;
  all(): Iterable<ReportSession>;
}

export interface ReportSessionLimits {
  /** Concurrent connections from one address. */
  readonly perAddress: number;
  /** The longest time a connection may stay open. */
  readonly sessionMs: number;
}

export function createReportSessions({ perAddress, sessionMs }: ReportSessionLimits): ReportSessions {
  const sessions = new Map<SMTPServerSession, ReportSession>();
  const byAddress = new Map<string, number>();
  const add = (address: string, by: number) => {
    const count = (byAddress.get(address) ?? 0) + by;
    if (count > 0) byAddress.set(address, count);
    else byAddress.delete(address);
  };
  return {
    hasRoom: (address) => (byAddress.get(address) ?? 0) < perAddress,
    open(session, connection) {
      const deadline = setTimeout(() => cutOff(connection, 421, '4.4.2 The connection was open too long'), sessionMs);
      const address = session.remoteAddress;
      add(address, 1);
      sessions.set(session, {
        ...{ connection, deadline, address, message: null, refusedRecipients: 0, messages: 0 },
        gone: new AbortController(),
      });
    },
    of(session) {
      const known = sessions.get(session);
      if (known === undefined) throw new Error('an SMTP session was not opened');
      return known;
    },
    close(session) {
      const known = sessions.get(session);
      if (known === undefined) return;
      clearTimeout(known.deadline);
      known.gone.abort();
      add(known.address, -1);
      sessions.delete(session);
    },
    all: () => sessions.values(),
  };
}
