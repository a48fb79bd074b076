import { describe, expect, it } from 'vitest';
import { createActiveAccounts } from '../../packages/server/src/sending/fair-queue.ts';
import { createGroupCommit, type GroupCommitOptions } from '../../packages/server/src/sending/group-commit.ts';
import { afterReads } from '../harness/after-reads.ts';

interface Written {
  readonly items: readonly number[];
  readonly finish: (error?: Error) => void;
}

/** A group commit whose writes wait until the test lets each of them end; a verdict is the item times ten. */
function start(options: Partial<GroupCommitOptions<number, number>> = {}) {
  const writes: Written[] = [];
  const group = createGroupCommit<number, number>({
    maxBatch: 3,
    maxBytes: 1_000,
    bytesOf: (item) => item,
    accountOf: () => 'one',
    room: { items: 1_000, bytes: 100_000 },
    activity: createActiveAccounts(),
    writers: 1,
    sharedWriters: 1,
    secondWriterFrom: () => 1,
    startAtOnceFrom: () => 1_000,
    isItemFault: () => false,
    isOutage: () => false,
    write: (items) =>
      new Promise((resolve, reject) => {
        const finish = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => item * 10)));
        writes.push({ items, finish });
      }),
    ...options,
  });
  /** The next write, once it has begun. */
  const write = async (index: number): Promise<Written> => {
    await expect.poll(() => writes.length, { interval: 1 }).toBeGreaterThan(index);
    return writes[index] as Written; // It was waited for.
  };
  return { group, writes, write };
}

describe('group commit', () => {
  it('writes a single item immediately', async () => {
    const { group, write } = start();
    const verdict = group.submit(1);
    (await write(0)).finish();
    expect(await verdict).toBe(10);
  });

  it('batches what arrives while another batch is written, in order and up to its size', async () => {
    const { group, writes, write } = start();
    const first = group.submit(1);
    const one = await write(0);
    const rest = [2, 3, 4, 5].map((item) => group.submit(item));
    expect(writes).toHaveLength(1);
    one.finish();
    const two = await write(1);
    expect(two.items).toEqual([2, 3, 4]);
    two.finish();
    const three = await write(2);
    expect(three.items).toEqual([5]);
    three.finish();
    expect(await Promise.all([first, ...rest])).toEqual([10, 20, 30, 40, 50]);
  });

  it('limits a batch by the weight of its items as well, and writes a heavier one alone', async () => {
    const { group, write } = start({ maxBatch: 10 });
    const verdicts = [600, 400, 1, 5_000, 999, 1].map((item) => group.submit(item));
    for (const [index, items] of [[600, 400], [1], [5_000], [999, 1]].entries()) {
      const next = await write(index);
      expect(next.items).toEqual(items);
      next.finish();
    }
    expect(await Promise.all(verdicts)).toEqual([6_000, 4_000, 10, 50_000, 9_990, 10]);
  });

  it('gives every active account an equal share of each batch, regardless of the backlog of another', async () => {
    const { group, writes, write } = start({
      maxBatch: 120,
      maxBytes: 1e6,
      accountOf: (item) => item.toString()[0] ?? '',
    });
    const submit = (account: number, count: number) =>
      Array.from({ length: count }, (_, index) => group.submit(account * 1_000 + index));
    const countOf = (index: number, account: number) =>
      writes[index]?.items.filter((item) => Math.floor(item / 1_000) === account).length;
    const verdicts = submit(1, 300);
    const first = await write(0);
    expect(first.items).toHaveLength(120);
    verdicts.push(...submit(2, 30), ...submit(3, 1));
    first.finish();
    // Two fifths of a batch for three accounts. What an account leaves of its share goes to those that wait.
    for (const [index, counts] of [
      [31, 16, 1],
      [34, 14, 0],
      [48, 0, 0],
    ].entries()) {
      const next = await write(index + 1);
      expect([1, 2, 3].map((account) => countOf(index + 1, account))).toEqual(counts);
      next.finish();
    }
    // An account that sends again soon still has its share.
    verdicts.push(...submit(3, 1));
    for (const index of [4, 5]) (await write(index)).finish();
    expect(await Promise.all(verdicts)).toHaveLength(332);
    expect(writes.slice(4).every(({ items }) => items.length <= 48)).toBe(true);
  });

  it('gives an account whole batches again after the others have been inactive for some batches', async () => {
    const { group, writes, write } = start({ maxBatch: 8, maxBytes: 1e6, accountOf: (item) => String(item % 2) });
    const verdicts = [...Array.from({ length: 40 }, (_, index) => index * 2), 1].map((item) => group.submit(item));
    let done = false;
    const all = Promise.all(verdicts).then(() => {
      done = true;
    });
    for (let index = 0; !done; index += 1) {
      (await write(index)).finish();
      await Promise.race([all, expect.poll(() => writes.length, { interval: 1 }).toBeGreaterThan(index + 1)]);
    }
    expect(writes.map(({ items }) => items.length)).toEqual([4, 4, 4, 4, 4, 8, 8, 5]);
  });

  it('serves accounts in order if a batch has no room for all of them', async () => {
    const { group, write } = start({ maxBatch: 6, accountOf: (item) => String(item % 10) });
    const verdicts = [1, 2, 3].flatMap((account) => [0, 10, 20, 30].map((item) => group.submit(account + item)));
    const batches = [[1, 11, 21, 2, 12, 22], [3, 13, 23, 31, 32], [33]];
    for (const [index, items] of batches.entries()) {
      const next = await write(index);
      expect(next.items).toEqual(items);
      next.finish();
    }
    await Promise.all(verdicts);
  });

  it('has no room for an account with half of what is free, by items or by bytes, but has room for others', async () => {
    const { group, write } = start({ room: { items: 4, bytes: 1_000 }, accountOf: (item) => String(item % 10) });
    const flood = [group.submit(1), group.submit(11)];
    expect([group.hasRoom('1'), group.hasRoom('2')]).toEqual([false, true]);
    (await write(0)).finish();
    await Promise.all(flood);
    expect(group.hasRoom('1')).toBe(true);
    const large = group.submit(501);
    expect([group.hasRoom('1'), group.hasRoom('2')]).toEqual([false, true]);
    const more = [group.submit(492), group.submit(3), group.submit(4)];
    expect(['1', '2', '3', '4', '5'].map((account) => group.hasRoom(account))).toEqual(Array(5).fill(false));
    (await write(1)).finish();
    (await write(2)).finish();
    await Promise.all([large, ...more]);
    expect(group.hasRoom('5')).toBe(true);
  });

  it('puts the requests of one event loop iteration into one batch, whichever connections they arrive on', async () => {
    const { group, write } = start();
    const verdicts = [group.submit(1), afterReads().then(() => group.submit(2))];
    const one = await write(0);
    expect(one.items).toEqual([1, 2]);
    one.finish();
    expect(await Promise.all(verdicts)).toEqual([10, 20]);
  });

  it('starts a batch at once when enough items wait, before the other requests that have arrived are read', async () => {
    const { group, writes } = start({
      startAtOnceFrom: () => 2,
      writers: 2,
      sharedWriters: 2,
      secondWriterFrom: () => 2,
    });
    const verdicts = [1, 2, 3, 4, 5].map((item) => group.submit(item));
    expect(writes.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    for (const { finish } of writes) finish();
    await afterReads();
    expect(writes[2]?.items).toEqual([5]);
    writes[2]?.finish();
    expect(await Promise.all(verdicts)).toEqual([10, 20, 30, 40, 50]);
  });

  it('runs as many batches in parallel as there are writers', async () => {
    const { group, writes, write } = start({ writers: 2, maxBatch: 1 });
    const verdicts = [1, 2, 3].map((item) => group.submit(item));
    const two = await write(1);
    expect(writes).toHaveLength(2);
    two.finish();
    (await write(2)).finish();
    (await write(0)).finish();
    expect(await Promise.all(verdicts)).toEqual([10, 20, 30]);
  });

  it('runs fewer batches in parallel while several accounts are active', async () => {
    const activity = createActiveAccounts();
    const { group, writes, write } = start({ writers: 2, sharedWriters: 1, maxBatch: 1, activity });
    activity.note(['another']);
    const verdicts = [1, 2].map((item) => group.submit(item));
    const one = await write(0);
    await afterReads();
    expect(writes).toHaveLength(1);
    one.finish();
    (await write(1)).finish();
    expect(await Promise.all(verdicts)).toEqual([10, 20]);
  });

  it('starts another writer only for enough items to be worth a batch', async () => {
    const { group, writes, write } = start({ writers: 2, secondWriterFrom: () => 2 });
    const first = group.submit(1);
    const one = await write(0);
    const second = group.submit(2);
    await Promise.resolve();
    expect(writes).toHaveLength(1);
    const third = group.submit(3);
    const two = await write(1);
    expect(two.items).toEqual([2, 3]);
    two.finish();
    one.finish();
    expect(await Promise.all([first, second, third])).toEqual([10, 20, 30]);
  });

  it('decides that by the most items that were lately waiting or being written, which it forgets slowly', async () => {
    const asked: number[] = [];
    const secondWriterFrom = (lately: number) => asked.push(lately) && 10;
    const { group, write } = start({ writers: 2, secondWriterFrom });
    const verdicts = [1, 2, 3, 4, 5].map((item) => group.submit(item));
    const one = await write(0);
    verdicts.push(group.submit(6));
    await expect.poll(() => asked.at(-1)).toBe(6);
    one.finish();
    const two = await write(1);
    verdicts.push(group.submit(7));
    await expect.poll(() => asked.at(-1)).toBeCloseTo(5.7);
    two.finish();
    (await write(2)).finish();
    expect(await Promise.all(verdicts)).toEqual([10, 20, 30, 40, 50, 60, 70]);
  });

  it('reports a failed write to every item in it, and continues', async () => {
    const { group, write } = start();
    const verdicts = [group.submit(1), group.submit(2)];
    const failed = Promise.allSettled(verdicts);
    (await write(0)).finish(new Error('down'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = group.submit(3);
    (await write(1)).finish();
    expect(await next).toBe(30);
  });

  it('reports an outage to waiting items as well, rather than letting each batch fail by itself', async () => {
    const { group, writes, write } = start({ isOutage: (error) => String(error).includes('silent') });
    const verdicts = [1, 2, 3, 4, 5, 6, 7].map((item) => group.submit(item));
    const failed = Promise.allSettled(verdicts);
    (await write(0)).finish(new Error('silent'));
    expect((await failed).map(({ status }) => status)).toEqual(Array(7).fill('rejected'));
    expect(writes).toHaveLength(1);
    const next = group.submit(8);
    (await write(1)).finish();
    expect(await next).toBe(80);
  });

  it('reports an outage to the rest of a batch that is being written one by one', async () => {
    const batches: (readonly number[])[] = [];
    const { group } = start({
      isItemFault: (error) => String(error).includes('bad'),
      isOutage: (error) => String(error).includes('silent'),
      write: (items) => {
        batches.push(items);
        if (items.length > 1) return Promise.reject(new Error('bad item'));
        return items[0] === 1 ? Promise.resolve([10]) : Promise.reject(new Error('silent'));
      },
    });
    const settled = await Promise.allSettled([group.submit(1), group.submit(2), group.submit(3)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(batches).toEqual([[1, 2, 3], [1], [2]]);
  });

  it('writes each item by itself when one of them may be invalid, so that it fails alone', async () => {
    const batches: (readonly number[])[] = [];
    const { group } = start({
      isItemFault: () => true,
      write: (items) => {
        batches.push(items);
        return items.includes(2)
          ? Promise.reject(new Error('bad item'))
          : Promise.resolve(items.map((item) => item * 10));
      },
    });
    const settled = await Promise.allSettled([group.submit(1), group.submit(2), group.submit(3)]);
    expect(settled.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
      10,
      'failed',
      30,
    ]);
    expect(batches).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it('leaves no item without a verdict when a batch returns too few', async () => {
    const { group } = start({ write: () => Promise.resolve([]) });
    await expect(group.submit(1)).rejects.toThrow('fewer verdicts');
  });

  it('is idle when nothing waits or is written', async () => {
    const { group, write } = start();
    await group.idle();
    const verdict = group.submit(1);
    let idle = false;
    const waiting = group.idle().then(() => {
      idle = true;
    });
    const one = await write(0);
    expect(idle).toBe(false);
    one.finish();
    await verdict;
    await waiting;
    expect(idle).toBe(true);
  });
});
