import { isDatabaseLost } from './database-errors.ts';

/** Runs work of one kind, so much of it at a time, in the order in which it came. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

interface Waiting {
  readonly begin: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Where work finds the database gone, what waits is told so at once: each would else wait for its turn only to find out the same, one after the
 * other.
 */
export function createTurns(limit: number): Turns {
  const waiting: Waiting[] = [];
  let running = 0;

  async function enter(): Promise<void> {
    if (running < limit) running += 1;
    // Whoever leaves hands the place on.
    else await new Promise<void>((begin, fail) => waiting.push({ begin, fail }));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next.begin();
  }

  return async (work) => {
    await enter();
    try {
      return await work();
    } catch (error) {
      if (isDatabaseLost(error)) for (const { fail } of waiting.splice(0)) fail(error);
      throw error;
    } finally {
      leave();
    }
  };
}
