import type { Clock } from '../clock.ts';
import type { Pool } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { insertRequests, type LoggedRequest } from '../db/queries/request-log.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** Writes the request log in the background, in batches. */
export interface RequestLog {
  /** Called after the response. The request's start follows from its duration. */
  add(entry: Omit<LoggedRequest, 'id' | 'createdAt'>): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const FLUSH_EVERY_MS = 200;
const BATCH = 500;
/** How many of the newest entries are kept while the database is unavailable; the log must not cause the failure that it should explain. */
const MAX_WAITING = 20_000;

export function createRequestLog(
  pool: Pool,
  clock: Clock,
  ids: IdGenerator,
  onError: (error: unknown) => void,
): RequestLog {
  const waiting: LoggedRequest[] = [];
  let flushing: Promise<void> | null = null;
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  timer.unref();

  async function flushAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
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

  function flush(): Promise<void> {
    flushing ??= flushAll().finally(() => {
      flushing = null;
    });
    return flushing;
  }

  return {
    add(entry) {
      const now = clock.now();
      const createdAt = new Date(now.getTime() - entry.durationMs);
      waiting.push({ ...entry, id: ids.next(now), createdAt });
      if (waiting.length > MAX_WAITING) waiting.splice(0, MAX_WAITING / 2);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
      await flush();
    },
  };
}
