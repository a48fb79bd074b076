/**
 * How long one iteration of the event loop may work on large inputs before it serves other requests. A batch of 100 ordinary messages is
 * several slices, so single sends hardly wait for it.
 */
const SLICE_MS = 2;

/** Shared by the process, like the event loop: all calls that work on large inputs share one slice. */
let sliceBeganMs: number | null = null;

/**
 * Await this before each piece of work that grows with a request. Resolves at once while the current slice lasts, otherwise after the event
 * loop has served everything else.
 */
export async function nextSlice(): Promise<void> {
  for (;;) {
    const nowMs = performance.now();
    if (sliceBeganMs === null) {
      sliceBeganMs = nowMs;
      // Runs at the end of this iteration, whatever else ran in it.
      setImmediate(() => {
        sliceBeganMs = null;
      });
      return;
    }
    if (nowMs - sliceBeganMs < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Runs a step for each item, in order, within slices. The results of the steps are awaited together, so that they can wait concurrently.
 */
export async function startInSlices<Item, Result>(
  items: readonly Item[],
  start: (item: Item, index: number) => Result | Promise<Result>,
): Promise<readonly Result[]> {
  const [only] = items;
  if (only !== undefined && items.length === 1) return [await start(only, 0)];
  const started: (Result | Promise<Result>)[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) await nextSlice();
    const result = start(item, index);
    // It may fail before all steps have started and a caller awaits it.
    if (result instanceof Promise) result.catch(() => {});
    started.push(result);
  }
  return await Promise.all(started);
}
