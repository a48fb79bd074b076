/** Limits how long work on a pool may take before the database counts as silent. Each open pool has one. */
export interface QueryDeadline {
  /** Starts tracking work; calls `onOver` with the error if it takes too long. Call the returned function when the work has ended. */
  start(onOver: (error: DatabaseSilentError) => void): () => void;
  /** Like `start`, for a promise, which is rejected if the work takes too long. */
  guard<T>(work: () => Promise<T>): Promise<T>;
}

/** The database did not respond in time. The requested work may have been done or may still be done. */
export class DatabaseSilentError extends Error {
  override readonly name = 'DatabaseSilentError';
  readonly code = 'DATABASE_SILENT';
  constructor(limitMs: number) {
    super(`The database did not respond within ${limitMs} ms.`);
  }
}

export interface QueryDeadlineOptions {
  readonly limitMs: number;
  /**
   * For limits so long that a caller should not wait for them if the database is unreachable. Runs on another pool as soon as work takes
   * longer than usual; rejects with DatabaseSilentError if that pool gets no response either.
   */
  readonly probe?: () => Promise<unknown>;
}

interface Work {
  readonly sinceMs: number;
  readonly onOver: (error: DatabaseSilentError) => void;
}

/** A timer this late means that the process itself was blocked, so responses may be waiting unread. */
const BLOCKED_LOOP_MS = 250;
/** A probe has 1.5 s for its response, and its caller waits for 2 s. */
const PROBE_AFTER_MS = 250;

/**
 * Fails all work in progress and calls `onSilent` as soon as the oldest work is `limitMs` old: if one connection is silent, the others will
 * not respond either. One timer covers all work, since nearly all of it ends long before.
 */
export function createQueryDeadline({ limitMs, probe }: QueryDeadlineOptions, onSilent: () => void): QueryDeadline {
  const lookEveryMs = probe === undefined ? limitMs : Math.min(limitMs, PROBE_AFTER_MS);
  // In insertion order, so the first is the oldest.
  const underWay = new Set<Work>();
  let timer: NodeJS.Timeout | null = null;
  let isProbing = false;

  function arm(delayMs: number): void {
    const dueAtMs = performance.now() + delayMs;
    timer = setTimeout(() => {
      // Reads responses first that arrived while the process was blocked.
      if (performance.now() - dueAtMs > BLOCKED_LOOP_MS) arm(BLOCKED_LOOP_MS);
      else setImmediate(look);
    }, delayMs);
    timer.unref();
  }

  function look(): void {
    timer = null;
    const [oldest] = underWay;
    if (oldest === undefined) return;
    const leftMs = oldest.sinceMs + limitMs - performance.now();
    if (leftMs <= 0) {
      failAll();
      return;
    }
    if (leftMs <= limitMs - lookEveryMs) void askProbe();
    arm(Math.ceil(Math.min(leftMs, lookEveryMs)));
  }

  function failAll(): void {
    const failed = [...underWay];
    underWay.clear();
    const error = new DatabaseSilentError(limitMs);
    for (const { onOver } of failed) onOver(error);
    onSilent();
  }

  async function askProbe(): Promise<void> {
    if (probe === undefined || isProbing) return;
    isProbing = true;
    try {
      await probe();
    } catch (error) {
      if (error instanceof DatabaseSilentError && underWay.size > 0) failAll();
    } finally {
      isProbing = false;
    }
  }

  function start(onOver: Work['onOver']): () => void {
    const work: Work = { sinceMs: performance.now(), onOver };
    underWay.add(work);
    if (timer === null) arm(lookEveryMs);
    return () => underWay.delete(work);
  }

  return {
    start,
    guard: (work) =>
      new Promise((resolve, reject) => {
        const end = start(reject);
        work().then(
          (result) => {
            end();
            resolve(result);
          },
          (error) => {
            end();
            reject(error);
          },
        );
      }),
  };
}
