import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * On a machine with much memory V8 lets garbage pile up to four times what lives before it collects the old generation. A server that
 * shares its machine with its database is better off collecting at twice: under load it stays about a hundred megabytes smaller, and the
 * work is done by helper threads. Call it before anything else allocates.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/** V8's collector, for the heap of the calling thread. */
export interface Collector {
  collect(): void;
  /** Works two to three times as long, and gives the system all pages that are free: otherwise most of them stay with the process. */
  shrink(): void;
}

/** Opens V8's collector, which it otherwise only is by a flag of the command line. */
export function openCollector(): Collector {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how?: object) => void; // What the flag adds to the globals of contexts that are made meanwhile.
  setFlagsFromString('--no-expose-gc');
  return { collect: () => collect(), shrink: () => collect({ type: 'major', flavor: 'last-resort' }) };
}

/** What comes to less is left to V8. */
const MANY_BYTES = 8 * 1024 * 1024;
/** A collection takes about 100 ms on a slow machine. A process that handles only large requests spends at most a quarter of its time on them. */
const LEAST_MS_BETWEEN = 100;
const REST_FACTOR = 3;
const SOON_MS = 20;

/** Of the process, as its heap is. */
const garbage: { bytes: number; nextAtMs: number; timer: NodeJS.Timeout | null; collector: Collector | null } = {
  bytes: 0,
  nextAtMs: Number.NEGATIVE_INFINITY,
  timer: null,
  collector: null,
};

/**
 * To be called when the main thread has finished with a large input: shrinks the heap once there were many. V8 would let garbage pile up to what
 * lived while the largest of them was in work, and keep the pages: a process that had once worked on 40 MB would occupy some hundreds of
 * megabytes more than it needs.
 */
export function reportLargeGarbage(bytes: number): void {
  garbage.bytes += bytes;
  if (garbage.bytes < MANY_BYTES || garbage.timer !== null) return;
  const waitMs = Math.max(SOON_MS, garbage.nextAtMs - performance.now());
  garbage.timer = setTimeout(shrinkHeap, waitMs).unref();
}

function shrinkHeap(): void {
  garbage.timer = null;
  garbage.bytes = 0;
  garbage.collector ??= openCollector();
  const beganAtMs = performance.now();
  garbage.collector.shrink();
  const endedAtMs = performance.now();
  garbage.nextAtMs = endedAtMs + Math.max(LEAST_MS_BETWEEN, REST_FACTOR * (endedAtMs - beganAtMs));
}
