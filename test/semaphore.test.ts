import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../packages/server/src/semaphore.ts';

/** Acquires and records when it succeeded. */
function acquire(semaphore: ReturnType<typeof createSemaphore>, weight: number) {
  const state: { isGranted: boolean; release: () => void } = { isGranted: false, release: () => undefined };
  const granted = semaphore.acquire(weight).then((release) => {
    state.isGranted = true;
    state.release = release;
  });
  return Object.assign(state, { granted });
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

describe('a semaphore', () => {
  it('grants what fits, and the rest in order as permits are released', async () => {
    const semaphore = createSemaphore(10);
    const [first, second, third, fourth] = [6, 4, 5, 1].map((weight) => acquire(semaphore, weight));
    await nextTick();
    expect([first, second, third, fourth].map((one) => one?.isGranted)).toEqual([true, true, false, false]);
    // The fourth would fit, but must not overtake the third, which could wait forever otherwise.
    second?.release();
    await nextTick();
    expect([third?.isGranted, fourth?.isGranted]).toEqual([false, false]);
    first?.release();
    await Promise.all([third?.granted, fourth?.granted]);
  });

  it('runs a weight above the limit alone', async () => {
    const semaphore = createSemaphore(10);
    const small = acquire(semaphore, 1);
    const huge = acquire(semaphore, 50);
    const after = acquire(semaphore, 1);
    await nextTick();
    expect([small.isGranted, huge.isGranted, after.isGranted]).toEqual([true, false, false]);
    small.release();
    await huge.granted;
    await nextTick();
    expect(after.isGranted).toBe(false);
    huge.release();
    await after.granted;
  });
});
