import { constants, getPriority, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

/** Of the processor time that both want, a third of what the event loop gets. */
const NICER = 5;

/**
 * To be called in a thread: where processors are scarce, the event loop comes first, and with it every other caller. On Linux a priority is of
 * the thread that sets it; elsewhere it would be of the whole process.
 */
export function workAtLowPriority(): void {
  if (process.platform !== 'linux' || isMainThread) return;
  setPriority(Math.min(getPriority() + NICER, constants.priority.PRIORITY_LOW));
}
