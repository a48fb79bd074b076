/** Resolves after all microtasks of now, as between two sockets that are read in the same event loop iteration. */
export function afterReads(): Promise<void> {
  return new Promise((resolve) => {
    // Callbacks of `nextTick` that are added by a microtask run after all other microtasks.
    queueMicrotask(() => process.nextTick(resolve));
  });
}
