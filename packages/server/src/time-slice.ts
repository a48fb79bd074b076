/** How long one turn of the event loop may work on large inputs before it looks after other requests. */
const SLICE_MS = 10;

/** Of the process, as the event loop is: all calls that work on something large share one slice. */
let sliceBeganMs: number | null = null;

/**
 * To be awaited before each piece of work that grows with a request. Resolves at once while the present slice lasts, and otherwise after
 * the event loop has looked after everything else.
 */
export async function nextSlice(): Promise<void> {
  for (;;) {
    const nowMs = performance.now();
    if (sliceBeganMs === null) {
      sliceBeganMs = nowMs;
      // Runs when this turn is over, whatever else was done in it.
      setImmediate(() => {
        sliceBeganMs = null;
      });
      return;
    }
    if (nowMs - sliceBeganMs < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Runs a step for each item, in order, within slices. What the steps return is awaited together, so that they may wait side by side. */
export async function startInSlices<Item, Result>(
  items: readonly Item[],
  start: (item: Item, index: number) => Result | Promise<Result>,
): Promise<readonly Result[]> {
  const started: (Result | Promise<Result>)[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) await nextSlice();
    const result = start(item, index);
    // It may fail before all are started and a caller awaits it.
    if (result instanceof Promise) result.catch(() => {});
    started.push(result);
  }
  return await Promise.all(started);
}
