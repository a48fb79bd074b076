import type { SMTPServerSession } from 'smtp-server';
import type { Caller } from '../keys/caller.ts';
import { type Connection, cutOff } from './connection.ts';

/** What we know of one connection beside what the library keeps. */
export interface SubmissionSession {
  readonly connection: Connection;
  /** The key it logged in with; null before. Kept since it is asked about again at every message. */
  secret: string | null;
  failedLogIns: number;
  /** Who sends the message that is under way; null between messages. */
  sender: Caller | null;
  /** The message that is being received or worked on, settled when it is answered; null between messages. */
  message: Promise<unknown> | null;
  /** Aborted when the client has gone. */
  readonly gone: AbortController;
  /** Cuts the connection off unless it has logged in by then. */
  readonly logInTimer: NodeJS.Timeout;
}

/** The sessions of the connections that are open. */
export interface SubmissionSessions {
  open(session: SMTPServerSession, connection: Connection): void;
  of(session: SMTPServerSession): SubmissionSession;
  close(session: SMTPServerSession): void;
  all(): Iterable<SubmissionSession>;
}

/** @param logInWithinMs how long a connection may take to log in, whatever it does meanwhile */
export function createSubmissionSessions(logInWithinMs: number): SubmissionSessions {
  const sessions = new Map<SMTPServerSession, SubmissionSession>();
  return {
    open(session, connection) {
      const logInTimer = setTimeout(() => cutOff(connection, 421, '4.4.2 No log-in in time'), logInWithinMs);
      sessions.set(session, {
        connection,
        secret: null,
        failedLogIns: 0,
        sender: null,
        message: null,
        gone: new AbortController(),
        logInTimer,
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
      clearTimeout(known.logInTimer);
      known.gone.abort();
      sessions.delete(session);
    },
    all: () => sessions.values(),
  };
}
