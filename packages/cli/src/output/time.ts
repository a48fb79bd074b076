const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `2026-01-31 09:00:00 UTC`; a text that is not a time stays unchanged. */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `2026-01-31 09:00`, for tables whose column title says UTC. */
export function formatMinute(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : time.toISOString().slice(0, 16).replace('T', ' ');
}

/** From this width on, a log entry with a whole time and id fits on one line. */
const WIDTH_FOR_WHOLE = 100;

/** Whether the entries of a log are shortened for the terminal. */
export function isNarrow(width: number | null): width is number {
  return width !== null && width < WIDTH_FOR_WHOLE;
}

/** The time of a log entry; in a narrow terminal `01-31 09:00:00Z`. */
export function formatLogTime(iso: string, width: number | null): string {
  const time = new Date(iso);
  if (!isNarrow(width) || Number.isNaN(time.getTime())) return formatTime(iso);
  return `${time.toISOString().slice(5, 19).replace('T', ' ')}Z`;
}

/** `12s ago`, `5m ago`, `3h ago`, `12d ago`: for tables without room for a date. */
export function formatAge(iso: string, now: Date): string {
  const ageMs = now.getTime() - new Date(iso).getTime();
  if (Number.isNaN(ageMs)) return iso;
  if (ageMs < MINUTE_MS) return `${Math.max(0, Math.floor(ageMs / 1_000))}s ago`;
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)}m ago`;
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)}h ago`;
  return `${Math.floor(ageMs / DAY_MS)}d ago`;
}
