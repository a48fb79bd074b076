/** Waits for something, but not longer than `limitMs`: what takes longer goes on unwatched. Rejects where the work does in time. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  try {
    await Promise.race([work, isOver]);
  } finally {
    clearTimeout(timer);
  }
}
