import type { Clock } from '../clock.ts';
import type { Pool } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { insertRequests, type LoggedRequest } from '../db/queries/request-log.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** Writes the request log in the background, in batches. */
export interface RequestLog {
  /** The id of a request whose client chose none. Ids are in the order of time, so an index keeps the newest together. */
  newRequestId(): string;
  /**
   * Called after the response. The request's start follows from its duration.
   * @param isMadeHere whether `newRequestId` made the request id; it is then also the id of the entry.
   */
  add(entry: Omit<LoggedRequest, 'id' | 'createdAt'>, isMadeHere?: boolean): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const FLUSH_EVERY_MS = 200;
const BATCH = 2_000;
/** How many of the newest entries are kept while the database is unavailable; the log must not cause the failure that it should explain. */
const MAX_WAITING = 20_000;

export function createRequestLog(
  pool: Pool,
  clock: Clock,
  ids: IdGenerator,
  onError: (error: unknown) => void,
): RequestLog {
  const waiting: LoggedRequest[] = [];
  let running: Promise<boolean> | null = null;
  let next: Promise<void> | null = null;
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  timer.unref();

  /** Entries that arrive in the meantime are left for the next flush: under load, each commit would carry only a few. */
  async function flushAll(): Promise<boolean> {
    for (let left = waiting.length; left > 0; left -= BATCH) {
      const batch = waiting.splice(0, Math.min(left, BATCH));
      try {
        await insert(batch);
      } catch (error) {
        onError(error);
        waiting.unshift(...batch);
        return false;
      }
    }
    return true;
  }

  /** An entry that the database rejects, or already has, would be rejected again, so it is left out, and the others are written. */
  async function insert(batch: readonly LoggedRequest[]): Promise<void> {
    try {
      await insertRequests(pool, batch);
    } catch (error) {
      if (classifyDatabaseError(error) !== 'data') throw error;
      if (batch.length === 1) return onError(error);
      const half = Math.ceil(batch.length / 2);
      await insert(batch.slice(0, half));
      await insert(batch.slice(half));
    }
  }

  /** A flush that is running does not include the newest entries, so another follows it, unless it fails. */
  async function flush(): Promise<void> {
    if (running !== null) {
      next ??= running.then((hasWritten) => {
        next = null;
        return hasWritten ? flush() : undefined;
      });
      return await next;
    }
    running = flushAll().finally(() => {
      running = null;
    });
    await running;
  }

  return {
    newRequestId: () => ids.next(clock.now()),
    add(entry, isMadeHere = false) {
      const now = clock.now();
      const createdAt = new Date(now.getTime() - entry.durationMs);
      waiting.push({ ...entry, id: isMadeHere ? entry.requestId : ids.next(now), createdAt });
      if (waiting.length > MAX_WAITING) waiting.splice(0, MAX_WAITING / 2);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
