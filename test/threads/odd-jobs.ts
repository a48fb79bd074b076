import { getPriority } from 'node:os';
import { threadJob } from '../../packages/server/src/threads/thread-job.ts';

/** Jobs for tests; a thread loads this file, so it imports nothing of the test runner. */
export const FAILS = threadJob(import.meta.url, 'FAILS', (what: string): string => {
  throw new Error(`${what} is wrong`);
});

export const SPINS = threadJob(import.meta.url, 'SPINS', (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return ms;
});

/** Of the thread that runs it. */
export const PRIORITY = threadJob(import.meta.url, 'PRIORITY', () => getPriority());
