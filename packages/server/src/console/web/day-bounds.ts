const DAY_MS = 86_400_000;

/** The beginning of a UTC day, `2026-11-24`. What is not a day is passed on, so that the operation says what is wrong with it. */
export function dayStart(day: string): string {
  return isDay(day) ? `${day}T00:00:00Z` : day;
}

/** The end of a UTC day, which is not part of it. */
export function dayEnd(day: string): string {
  return isDay(day) ? new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString() : day;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}
