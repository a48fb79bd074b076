import type { SMTPServerSession } from 'smtp-server';
import type { Caller } from '../keys/caller.ts';
import { type Connection, cutOff } from './connection.ts';

/** Our state of one connection in addition to the library's. */
export interface SubmissionSession {
  readonly connection: Connection;
  /** The hash of the key it authenticated with, in base64; null before that. The key is checked again for every message. */
  keyHash: string | null;
  failedLogIns: number;
  /** The sender of the current message; null between messages. */
  sender: Caller | null;
  /** The message that is being received or processed, settled when the reply is sent; null between messages. */
  message: Promise<unknown> | null;
  /** Aborted when the client has disconnected. */
  readonly gone: AbortController;
  /** Closes the connection unless it has authenticated by then. */
  readonly logInTimer: NodeJS.Timeout;
}

/** The sessions of the open connections. */
export interface SubmissionSessions {
  open(session: SMTPServerSession, connection: Connection): void;
  of(session: SMTPServerSession): SubmissionSession;
  close(session: SMTPServerSession): void;
  all(): Iterable<SubmissionSession>;
}

/** @param logInWithinMs how long a connection may take to authenticate, whatever it does in that time */
export function createSubmissionSessions(logInWithinMs: number): SubmissionSessions {
  const sessions = new Map<SMTPServerSession, SubmissionSession>();
  return {
    open(session, connection) {
      const logInTimer = setTimeout(() => cutOff(connection, 421, '4.4.2 No login in time'), logInWithinMs);
      sessions.set(session, {
        connection,
        keyHash: null,
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
