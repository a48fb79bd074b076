import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Sets how V8 collects garbage. Call it before anything else allocates.
 *
 * On a machine with much memory, V8 lets garbage grow to four times the live heap before it collects the old generation. A server that
 * shares its machine with its database does better at 1.5 times: under load it stays more than a hundred megabytes smaller, and helper threads
 * do the work.
 *
 * V8 also creates objects in the old generation if many created at the same place lived through a minor collection. In a server they
 * live until their request ends, but those in the old generation keep all that they refer to until the next major collection: in some
 * runs this took a third of the CPU time of accepting sends (docs/decisions/0032-short-lived-objects.md).
 */
export function boundHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50');
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** V8's collector, for the heap of the calling thread. */
export interface Collector {
  collect(): void;
  /** Takes two to three times as long, and returns all free pages to the system: otherwise most of them stay with the process. */
  shrink(): void;
}

/**
 * Exposes V8's garbage collector without the command line flag that normally does so. The flag applies to the whole process and stays set: if
 * one thread unset it, another that is starting would not find `gc`.
 */
export function openCollector(): Collector {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how?: object) => void; // The flag adds it to the globals of new contexts.
  return { collect: () => collect(), shrink: () => collect({ type: 'major', flavor: 'last-resort' }) };
}

/**
 * Inputs of this size and above leave buffers and strings of their size in memory. A batch of 100 ordinary messages is smaller: if it
 * counted in full, a flood of batches would stop every request for 100 to 200 ms, more than once a second.
 */
export const LARGE_INPUT_BYTES = 1_048_576;
/**
 * Smaller inputs count as this part of their size, because many of them at a time make the heap grow too. In a process that uses less than
 * `LARGE_PROCESS_BYTES`, they cause no collection: it would stop all requests and gain little.
 */
const SMALLER_INPUTS = 8;
const LARGE_PROCESS_BYTES = 360 * 1024 * 1024;

/** V8 handles smaller amounts. */
const MANY_BYTES = 8 * 1024 * 1024;
/**
 * A collection takes about 100 ms on a slow machine. A process that handles only large requests spends at most a quarter of its time on
 * them.
 */
const LEAST_MS_BETWEEN = 100;
const REST_FACTOR = 3;
const SOON_MS = 20;

/** Shared by the process, like its heap. */
const garbage: {
  bytes: number;
  smallBytes: number;
  nextAtMs: number;
  timer: NodeJS.Timeout | null;
  collector: Collector | null;
} = {
  bytes: 0,
  smallBytes: 0,
  nextAtMs: Number.NEGATIVE_INFINITY,
  timer: null,
  collector: null,
};

/**
 * Shrinks the heap after many large inputs. Call it when the main thread has finished with one. V8 would let garbage grow to the size of
 * the live heap during the largest input, and keep the pages: a process that had once handled 40 MB would use some hundreds of megabytes
 * more than it needs.
 */
export function reportLargeGarbage(bytes: number): void {
  if (bytes < LARGE_INPUT_BYTES) garbage.smallBytes += bytes / SMALLER_INPUTS;
  else garbage.bytes += bytes;
  if (garbage.bytes + garbage.smallBytes < MANY_BYTES || garbage.timer !== null) return;
  if (garbage.bytes < MANY_BYTES && process.memoryUsage.rss() < LARGE_PROCESS_BYTES) {
    garbage.smallBytes = 0;
    return;
  }
  const waitMs = Math.max(SOON_MS, garbage.nextAtMs - performance.now());
  garbage.timer = setTimeout(shrinkHeap, waitMs).unref();
}

function shrinkHeap(): void {
  garbage.timer = null;
  garbage.bytes = 0;
  garbage.smallBytes = 0;
  garbage.collector ??= openCollector();
  const beganAtMs = performance.now();
  garbage.collector.shrink();
  const endedAtMs = performance.now();
  garbage.nextAtMs = endedAtMs + Math.max(LEAST_MS_BETWEEN, REST_FACTOR * (endedAtMs - beganAtMs));
}
