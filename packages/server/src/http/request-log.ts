import type { Clock } from '../clock.ts';
import type { Pool } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { insertRequests, type LoggedRequest } from '../db/queries/request-log.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** Writes the request log in the background, in batches. */
export interface RequestLog {
  /** The id of a request that has none of its own. Ids are in the order of time, so an index keeps the newest together. */
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
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  timer.unref();

  /** Entries that arrive in the meantime are left for the next flush: under load, each commit would carry only a few. */
  async function flushAll(): Promise<void> {
    for (let left = waiting.length; left > 0; left -= BATCH) {
      const batch = waiting.splice(0, Math.min(left, BATCH));
      try {
        await insertRequests(pool, batch);
      } catch (error) {
        onError(error);
        // An entry that the database rejects, or already has, will be rejected again. One that failed for another reason
        // may succeed later.
        if (classifyDatabaseError(error) !== 'data') waiting.unshift(...batch);
        return;
      }
    }
  }

  /** A flush that is running does not include the newest entries, so another follows it. */
  function flush(): Promise<void> {
    if (running !== null) {
      next ??= running.then(() => {
        next = null;
        return flush();
      });
      return next;
    }
    running = flushAll().finally(() => {
      running = null;
    });
    return running;
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
