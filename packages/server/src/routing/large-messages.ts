import type { Clock } from '../clock.ts';
import { reportLargeGarbage } from '../heap.ts';
import { createByteBudget } from './byte-budget.ts';
import type { DestinationQueue } from './queue-registry.ts';

/**
 * The memory of large messages while they are sent: one budget for destinations that have replied and are fast, one for all others, and a
 * limit for each queue.
 */
export interface LargeMessages {
  /** Takes bytes from a budget and returns the function that gives them back; null when there are not enough. */
  take(queue: DestinationQueue, bytes: number, isUnproven: boolean): (() => void) | null;
  /** Removes a queue that is blocked for another reason from the waiting lists, so that it does not block others. */
  forget(queue: DestinationQueue): void;
  /** Lets the waiting queues try again, in order. */
  retry(admit: (queue: DestinationQueue) => void): void;
}

const PROVEN_BYTES = 64 * 1024 * 1024;
const UNPROVEN_BYTES = 32 * 1024 * 1024;
const QUEUE_BYTES = 16 * 1024 * 1024;
/** A queue whose transfer took longer uses the other budget until one is fast again, so that it does not delay the many that take a second. */
const SLOW_MS = 30_000;

export function createLargeMessages(clock: Clock): LargeMessages {
  const proven = createByteBudget<DestinationQueue>(PROVEN_BYTES);
  const unproven = createByteBudget<DestinationQueue>(UNPROVEN_BYTES);
  const slow = new WeakSet<DestinationQueue>();

  function forget(queue: DestinationQueue): void {
    proven.forget(queue);
    unproven.forget(queue);
  }

  return {
    take(queue, bytes, isUnproven) {
      const [budget, other] = isUnproven || slow.has(queue) ? [unproven, proven] : [proven, unproven];
      other.forget(queue);
      const isTooMuch = queue.bytes > 0 && queue.bytes + bytes > QUEUE_BYTES;
      if (isTooMuch) forget(queue);
      const release = isTooMuch ? null : budget.take(queue, bytes);
      if (release === null) return null;
      queue.bytes += bytes;
      const beganAtMs = clock.now().getTime();
      return () => {
        if (clock.now().getTime() - beganAtMs >= SLOW_MS) slow.add(queue);
        else slow.delete(queue);
        queue.bytes -= bytes;
        release();
        reportLargeGarbage(bytes);
      };
    },
    forget,
    retry(admit) {
      for (const budget of [proven, unproven]) {
        for (let { first } = budget; first !== undefined; ) {
          admit(first);
          first = budget.first === first ? undefined : budget.first;
        }
      }
    },
  };
}
