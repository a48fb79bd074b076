import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { findSession, type SessionRow, touchSessions } from '../db/queries/sessions.ts';
import { type Caller, toPersonCaller } from '../keys/caller.ts';
import { endOfSession } from './session-lifetime.ts';
import { hashToken, isSessionToken } from './session-token.ts';
import type { BorneToken } from './visit.ts';

/** A session that lasts, as it is read and as who calls with it. */
export interface LiveSession {
  readonly caller: Caller;
  readonly expiresAt: Date;
}

export interface SessionAuthenticator {
  /** Null where the token is nobody's, or its session has ended. @throws what the database throws */
  find(borne: BorneToken): Promise<LiveSession | null>;
  /** The same from the database, for who has just changed it. */
  findAnew(borne: BorneToken): Promise<LiveSession | null>;
  /** Forgets what was read of sessions, so that a change made here acts at once. */
  forget(): void;
  /** Writes when sessions were last seen; called now and then, and at the end. */
  flushUse(): Promise<void>;
}

/** As for keys: what ends a session must act within a second on every process, so what was read is believed for half of one. */
const BELIEVE_MS = 500;
const TOUCH_EVERY_MS = 60_000;
const MAX_CACHED = 10_000;

interface Cached {
  readonly row: Promise<SessionRow | null>;
  readonly readAtMs: number;
}

export function createSessionAuthenticator(sql: Sql, clock: Clock): SessionAuthenticator {
  const cache = new Map<string, Cached>();
  const seen = new Map<string, Date>();

  function lookUp({ token, kind }: BorneToken): Promise<SessionRow | null> {
    const hash = hashToken(token);
    const name = `${kind} ${hash.toString('base64')}`;
    const nowMs = clock.now().getTime();
    const cached = cache.get(name);
    const ageMs = nowMs - (cached?.readAtMs ?? 0);
    // Less than nothing where the clock was set back: then nobody knows how long ago that was.
    if (cached !== undefined && ageMs >= 0 && ageMs < BELIEVE_MS) return cached.row;
    if (cache.size >= MAX_CACHED) cache.clear();
    const row = findSession(sql, hash, kind);
    cache.set(name, { row, readAtMs: nowMs });
    row.catch(() => cache.delete(name));
    return row;
  }

  async function find(borne: BorneToken): Promise<LiveSession | null> {
    if (!isSessionToken(borne.token)) return null;
    const row = await lookUp(borne);
    const now = clock.now();
    if (row === null || endOfSession(row) <= now) return null;
    if (now.getTime() - row.seenAt.getTime() >= TOUCH_EVERY_MS) seen.set(row.sessionId, now);
    // This request is use, whether it is written down yet or not.
    return { caller: callerOf(row), expiresAt: endOfSession({ startedAt: row.startedAt, seenAt: now }) };
  }

  return {
    find,
    async findAnew(borne) {
      cache.clear();
      return await find(borne);
    },
    forget: () => cache.clear(),
    async flushUse() {
      const ids = [...seen.keys()];
      seen.clear();
      if (ids.length > 0) await touchSessions(sql, ids, clock.now());
    },
  };
}

function callerOf(row: SessionRow): Caller {
  const { sessionId, userId, memberId, email, name, role } = row;
  return toPersonCaller(row, { sessionId, userId, memberId, email, name, role });
}
