import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { countReports } from '../db/queries/inbound-reports.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** Counts forged return paths. A forger may send thousands, so the counts are written in batches. */
export interface ForgeryCounter {
  add(): void;
  /** Writes the counts since the last call. If the database fails, they are kept for the next call. Never rejects. */
  flush(): Promise<void>;
}

export interface ForgeryCounterOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
}

export function createForgeryCounter({ sql, clock, ids, logger }: ForgeryCounterOptions): ForgeryCounter {
  let waiting = 0;
  return {
    add() {
      waiting += 1;
    },
    async flush() {
      const count = waiting;
      if (count === 0) return;
      waiting = 0;
      const now = clock.now();
      const noAccount = { accountId: null, messageId: null, kind: 'other', outcome: 'forged' };
      try {
        await countReports(sql, { id: ids.next(now), ...noAccount, count, now });
        logger.warn({ count }, 'refused mail to return paths that were not made here');
      } catch (error) {
        waiting += count;
        logger.debug({ error: String(error) }, 'counting forged return paths');
      }
    },
  };
}
