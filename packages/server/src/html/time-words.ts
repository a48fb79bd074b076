const MINUTE_MS = 60_000;
const UNITS = [
  { name: 'day', minutes: 1_440, from: 2_880 },
  { name: 'hour', minutes: 60, from: 120 },
  { name: 'minute', minutes: 1, from: 0 },
] as const;

/** The time left, in the largest unit that makes at least two: `in 2 days`, `in 45 minutes`. */
export function timeLeft(at: Date, now: Date): string {
  const minutes = Math.max(1, Math.round((at.getTime() - now.getTime()) / MINUTE_MS));
  const unit = UNITS.find(({ from }) => minutes >= from) ?? UNITS[2];
  const count = Math.round(minutes / unit.minutes);
  return `in ${count} ${unit.name}${count === 1 ? '' : 's'}`;
}

const DATE = new Intl.DateTimeFormat('en-US', {
  ...{ weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' },
});

/** `Wed, Nov 25, 2026, 14:00 UTC` */
export function formatTime(at: Date): string {
  return `${DATE.format(at)} UTC`;
}
