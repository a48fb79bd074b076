import type { Sql } from '../db/client.ts';
import { fillSearch } from '../db/queries/fill-search.ts';

/** Makes accepted messages searchable by the indexes, behind everybody's back. Until then they are found in the log itself. */
export interface SearchFiller {
  /** Empties the backlog, unless that is under way. */
  run(): Promise<void>;
  /** Ends after the statement that is under way. */
  stop(): Promise<void>;
}

export function createSearchFiller(options: {
  readonly sql: Sql;
  readonly onError: (error: unknown, what: string) => void;
}): SearchFiller {
  let running: Promise<void> | null = null;
  let stopped = false;

  async function empty(): Promise<void> {
    try {
      while (!stopped && (await fillSearch(options.sql)) > 0);
    } catch (error) {
      options.onError(error, 'indexing messages for search');
    }
  }

  function run(): Promise<void> {
    running ??= empty().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    run,
    async stop() {
      stopped = true;
      await running;
    },
  };
}
