/** In the past by every clock. */
const AT_ONCE = new Date(0);

/** When a replaced secret ends. Without a grace period it ends at once in every process, independent of clocks that may be behind. */
export function endOfSecret(now: Date, graceSeconds: number): Date {
  return graceSeconds === 0 ? AT_ONCE : new Date(now.getTime() + graceSeconds * 1_000);
}

export function hasEndedAtOnce(endsAt: Date): boolean {
  return endsAt.getTime() === AT_ONCE.getTime();
}
