import { getHeapStatistics } from 'node:v8';
import { openCollector } from '../heap.ts';

/** Garbage beyond this, in addition to what the thread itself needs, is collected before the next job. */
const FULL_BYTES = 16 * 1024 * 1024;
/** Memory beyond this is returned to the system when no job has arrived for a while. */
const GROWN_BYTES = 6 * 1024 * 1024;
const IDLE_MS = 100;

/**
 * Call this in a thread after each job: it collects what jobs left. Otherwise V8 would keep the garbage until the heap
 * reaches its maximum, and an idle thread would occupy that much memory.
 */
export function createHeapTidier(): () => void {
  const collector = openCollector();
  let timer: NodeJS.Timeout | undefined;
  let isGrown = false;

  let neededBytes = getHeapStatistics().used_heap_size;

  function shrink(): void {
    isGrown = false;
    collector.shrink();
    neededBytes = getHeapStatistics().used_heap_size;
  }

  return () => {
    clearTimeout(timer);
    const { used_heap_size: usedBytes, total_heap_size: totalBytes } = getHeapStatistics();
    isGrown ||= totalBytes > neededBytes + GROWN_BYTES;
    if (usedBytes > neededBytes + FULL_BYTES) collector.collect();
    if (isGrown) timer = setTimeout(shrink, IDLE_MS);
  };
}
