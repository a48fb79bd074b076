import { isDatabaseLost } from './database-errors.ts';

/** Runs at most `limit` pieces of work at a time, in the order of submission. */
export type TransactionLimit = <T>(work: () => Promise<T>) => Promise<T>;

interface Waiting {
  readonly begin: () => void;
  readonly fail: (error: unknown) => void;
}

/** If one piece of work finds the database unreachable, all waiting work fails at once instead of one by one with the same error. */
export function createTransactionLimit(limit: number): TransactionLimit {
  const waiting: Waiting[] = [];
  let running = 0;

  async function acquire(): Promise<void> {
    if (running < limit) running += 1;
    // The permit passes directly to the next caller.
    else await new Promise<void>((begin, fail) => waiting.push({ begin, fail }));
  }

  function release(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next.begin();
  }

  return async (work) => {
    await acquire();
    try {
      return await work();
    } catch (error) {
      if (isDatabaseLost(error)) for (const { fail } of waiting.splice(0)) fail(error);
      throw error;
    } finally {
      release();
    }
  };
}
