const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** `71 h 59 min`, `12 min`, `45 s`, and `0 s` after the end. */
export function formatTimeLeft(untilIso: string, now: Date): string {
  const leftMs = Math.max(0, new Date(untilIso).getTime() - now.getTime());
  if (Number.isNaN(leftMs)) return untilIso;
  if (leftMs < MINUTE_MS) return `${Math.floor(leftMs / 1_000)} s`;
  const minutes = Math.floor((leftMs % HOUR_MS) / MINUTE_MS);
  return leftMs < HOUR_MS ? `${minutes} min` : `${Math.floor(leftMs / HOUR_MS)} h ${minutes} min`;
}

/** The same for the narrow column of a list: `71 h`. */
export function formatTimeLeftShort(untilIso: string, now: Date): string {
  const whole = formatTimeLeft(untilIso, now);
  return whole.includes(' h ') ? whole.slice(0, whole.indexOf(' h ') + 2) : whole;
}
