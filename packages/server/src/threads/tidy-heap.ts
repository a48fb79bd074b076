import { getHeapStatistics } from 'node:v8';
import { openCollector } from '../heap.ts';

/** So much more than what the thread itself needs is collected before the next job. */
const FULL_BYTES = 16 * 1024 * 1024;
/** So much more is returned to the system once no job has come for a while. */
const GROWN_BYTES = 6 * 1024 * 1024;
const IDLE_MS = 100;

/**
 * To be called in a thread behind each job: collects what jobs left. V8 would keep it until the heap is as large as it may become, and a thread
 * that waits for its next job would occupy that much.
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
