/** Waits for a promise, but not longer than `limitMs`; after that it continues unobserved. Rejects if it fails in time. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  try {
    await Promise.race([work, isOver]);
  } finally {
    clearTimeout(timer);
  }
}
