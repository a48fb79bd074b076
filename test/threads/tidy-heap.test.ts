import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';

/** A thread whose jobs make so many megabytes of garbage each. */
const JOBS = `
  import { parentPort } from 'node:worker_threads';
  import { createHeapTidier } from ${JSON.stringify(new URL('../../packages/server/src/threads/tidy-heap.ts', import.meta.url).href)};
  const tidyHeap = createHeapTidier();
  parentPort.on('message', (megabytes) => {
    let garbage = [];
    for (let index = 0; index < megabytes * 8; index += 1) garbage.push(Array(16 * 1024).fill(index));
    parentPort.postMessage(garbage.length);
    garbage = [];
    tidyHeap();
  });
`;

describe('the heap of a thread', () => {
  let worker: Worker;
  afterEach(() => worker.terminate());

  const run = (megabytes: number) =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
      worker.postMessage(megabytes);
    });
  const heapMb = async () => (await worker.getHeapStatistics()).total_heap_size / 2 ** 20;

  it('is small again after a while without a job', async () => {
    worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(JOBS)}`));
    await run(0);
    const beforeMb = await heapMb();
    for (let round = 0; round < 3; round += 1) await run(60);
    await expect.poll(heapMb, { timeout: 10_000 }).toBeLessThan(beforeMb + 8);
  });
});
