import { describe, expect, it } from 'vitest';
import { shareReads } from '../packages/server/src/shared-reads.ts';
import { afterReads } from './harness/after-reads.ts';

/** Reads that end when the test calls `finish`; each fact is ten times its question. */
function start(mostQuestions: number) {
  const reads: { readonly questions: readonly number[]; readonly finish: (error?: Error) => void }[] = [];
  const ask = shareReads<number, number>(
    (questions) =>
      new Promise((resolve, reject) => {
        const finish = (error?: Error) => (error ? reject(error) : resolve(questions.map((question) => question * 10)));
        reads.push({ questions, finish });
      }),
    mostQuestions,
  );
  /** Ends the read with this index once it has begun. */
  const finish = async (index: number, error?: Error) => {
    await expect.poll(() => reads.length, { interval: 1 }).toBeGreaterThan(index);
    reads[index]?.finish(error);
  };
  return { ask, reads, finish };
}

describe('shared reads', () => {
  it('combines questions that arrive during a read, up to the limit of one read', async () => {
    const { ask, reads, finish } = start(3);
    const first = ask(1);
    await expect.poll(() => reads.length, { interval: 1 }).toBe(1);
    const rest = [2, 3, 4, 5].map(ask);
    for (const index of [0, 1, 2]) await finish(index);
    expect(await Promise.all([first, ...rest])).toEqual([10, 20, 30, 40, 50]);
    expect(reads.map(({ questions }) => questions)).toEqual([[1], [2, 3, 4], [5]]);
  });

  it('combines questions of the same event loop iteration, whichever connections they arrive on', async () => {
    const { ask, reads, finish } = start(3);
    const first = ask(1);
    const second = afterReads().then(() => ask(2));
    await finish(0);
    expect(await Promise.all([first, second])).toEqual([10, 20]);
    expect(reads).toHaveLength(1);
  });

  it('rejects the questions that wait while a read fails, and reads again for later ones', async () => {
    const { ask, reads, finish } = start(1);
    const asked = Promise.allSettled([ask(1), ask(2)]);
    await finish(0, new Error('silent'));
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const later = ask(3);
    await finish(1);
    expect(await later).toBe(30);
    expect(reads).toHaveLength(2);
  });
});
