import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { findSession, type SessionRow, touchSessions } from '../db/queries/sessions.ts';
import { type Caller, toUserCaller } from '../keys/caller.ts';
import { createExpiringCache } from '../keys/expiring-cache.ts';
import type { SessionToken } from './client-info.ts';
import { endOfSession, latestEndOfSession } from './session-lifetime.ts';
import { hashToken, isSessionToken } from './session-token.ts';

/** An active session, with its caller. */
export interface LiveSession {
  readonly caller: Caller;
  readonly expiresAt: Date;
}

export interface SessionAuthenticator {
  /**
   * Returns null if the token is unknown or its session has ended.
   * @throws the database's errors
   */
  find(sessionToken: SessionToken): Promise<LiveSession | null>;
  /** Reads the session from the database after a change, bypassing the cache. */
  findFresh(sessionToken: SessionToken): Promise<LiveSession | null>;
  /** Clears the cache of sessions, so that a change made here takes effect at once. */
  forget(): void;
  /** Stores when sessions were last used; called periodically and at shutdown. */
  flushUse(): Promise<void>;
}

const TOUCH_EVERY_MS = 60_000;

export function createSessionAuthenticator(sql: Sql, clock: Clock): SessionAuthenticator {
  const memory = createExpiringCache<SessionRow | null>(clock);
  const seen = new Map<string, Date>();

  function lookUp({ token, kind }: SessionToken): SessionRow | null | Promise<SessionRow | null> {
    const hash = hashToken(token);
    return memory.recall(`${kind} ${hash.toString('base64')}`, () => findSession(sql, hash, kind));
  }

  async function find(sessionToken: SessionToken): Promise<LiveSession | null> {
    if (!isSessionToken(sessionToken.token)) return null;
    const row = await lookUp(sessionToken);
    const now = clock.now();
    if (row === null || endOfSession(row) <= now) return null;
    if (now.getTime() - row.seenAt.getTime() >= TOUCH_EVERY_MS) seen.set(row.sessionId, now);
    // This request counts as use, even if it has not been stored yet.
    return { caller: callerOf(row), expiresAt: endOfSession({ startedAt: row.startedAt, seenAt: now }) };
  }

  return {
    find,
    async findFresh(sessionToken) {
      memory.forget();
      return await find(sessionToken);
    },
    forget: memory.forget,
    async flushUse() {
      const ids = [...seen.keys()];
      seen.clear();
      if (ids.length > 0) await touchSessions(sql, ids, clock.now());
    },
  };
}

function callerOf(row: SessionRow): Caller {
  const { sessionId, userId, memberId, email, name, role, kind, mayDecide, client } = row;
  const isDevice = kind === 'device';
  const sessionEndsAt = latestEndOfSession(row);
  return toUserCaller(row, {
    sessionId,
    sessionEndsAt,
    userId,
    memberId,
    email,
    name,
    role,
    isDevice,
    mayDecide,
    client,
  });
}
