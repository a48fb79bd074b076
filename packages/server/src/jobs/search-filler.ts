import type { Sql } from '../db/client.ts';
import { fillSearch } from '../db/queries/fill-search.ts';
import { nextSlice } from '../time-slice.ts';
import { type BacklogWorker, createBacklogWorker } from './backlog-worker.ts';

/** Adds accepted messages to the search indexes. Until then, searches find them in the log itself. */
export function createSearchFiller(options: {
  readonly sql: Sql;
  readonly onError: (error: unknown, what: string) => void;
}): BacklogWorker {
  const { sql, onError } = options;
  return createBacklogWorker({ take: () => fillSearch(sql, nextSlice), what: 'indexing messages for search', onError });
}
