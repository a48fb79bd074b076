import type { Sql } from '../db/client.ts';
import { countMessages } from '../db/queries/count-messages.ts';
import { type BacklogWorker, createBacklogWorker } from './backlog-worker.ts';

/** Adds message events to the statistics. */
export function createMessageCounter(options: {
  readonly sql: Sql;
  readonly onError: (error: unknown, what: string) => void;
}): BacklogWorker {
  const { sql, onError } = options;
  return createBacklogWorker({ take: () => countMessages(sql), what: 'counting messages for the statistics', onError });
}
