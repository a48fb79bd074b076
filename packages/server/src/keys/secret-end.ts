/** Long past by every clock. */
const AT_ONCE = new Date(0);

/**
 * When a secret ends that is replaced now. One without a grace ends on every process at once, so that no clock is asked: the one of another
 * process may be behind.
 */
export function endOfSecret(now: Date, graceSeconds: number): Date {
  return graceSeconds === 0 ? AT_ONCE : new Date(now.getTime() + graceSeconds * 1_000);
}

export function hasEndedAtOnce(endsAt: Date): boolean {
  return endsAt.getTime() === AT_ONCE.getTime();
}
