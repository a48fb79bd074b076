/** How long work on a pool may take before the database counts as silent. One for each pool that is opened. */
export interface QueryDeadline {
  /** Begins work; `onOver` is called with the error should it take too long. Call what is answered when it has ended. */
  start(onOver: (error: DatabaseSilentError) => void): () => void;
  /** The same for work that is a promise; rejected should it take too long. */
  guard<T>(work: () => Promise<T>): Promise<T>;
}

/** The database gave no answer in time. What it was asked to do may have been done, or may be done yet. */
export class DatabaseSilentError extends Error {
  override readonly name = 'DatabaseSilentError';
  readonly code = 'DATABASE_SILENT';
  constructor(limitMs: number) {
    super(`The database gave no answer, for which it had ${limitMs} ms at most.`);
  }
}

export interface QueryDeadlineOptions {
  readonly limitMs: number;
  /**
   * For limits so long that a caller should not wait for their end where nobody is there at all: asked of another pool as soon as something
   * takes longer than most. Rejects with DatabaseSilentError where that gets no answer either.
   */
  readonly probe?: () => Promise<unknown>;
}

interface Work {
  readonly sinceMs: number;
  readonly onOver: (error: DatabaseSilentError) => void;
}

/** A timer this late says that the process itself was held up, so that answers may be waiting unread. */
const HELD_UP_MS = 250;
/** A probe has a second and a half for its answer, and whoever waits for it two for theirs. */
const PROBE_AFTER_MS = 250;

/**
 * Fails everything that is under way as soon as the oldest of it is `limitMs` old, and calls `onSilent` then: behind a connection that is
 * silent nothing else will be answered either. One timer serves all of it, since nearly all work ends long before.
 */
export function createQueryDeadline({ limitMs, probe }: QueryDeadlineOptions, onSilent: () => void): QueryDeadline {
  const lookEveryMs = probe === undefined ? limitMs : Math.min(limitMs, PROBE_AFTER_MS);
  // In the order in which it was begun, so that the first is the oldest.
  const underWay = new Set<Work>();
  let timer: NodeJS.Timeout | null = null;
  let isProbing = false;

  function arm(delayMs: number): void {
    const dueAtMs = performance.now() + delayMs;
    timer = setTimeout(() => {
      // Answers that arrived while other work held the process up are read first.
      if (performance.now() - dueAtMs > HELD_UP_MS) arm(HELD_UP_MS);
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
