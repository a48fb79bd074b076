import { constants, getPriority, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

/** When both compete for the processor, the thread gets a third of the event loop's share. */
const NICER = 5;

/**
 * Call this in a thread: when processors are scarce, the event loop and all its callers take precedence. On Linux a
 * priority applies to the calling thread; elsewhere it would apply to the whole process.
 */
export function workAtLowPriority(): void {
  if (process.platform !== 'linux' || isMainThread) return;
  setPriority(Math.min(getPriority() + NICER, constants.priority.PRIORITY_LOW));
}
