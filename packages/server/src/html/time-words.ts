const MINUTE_MS = 60_000;
const UNITS = [
  { name: 'day', minutes: 1_440, from: 5_760 },
  { name: 'hour', minutes: 60, from: 120 },
  { name: 'minute', minutes: 1, from: 0 },
] as const;

/**
 * The time left: `in 5 days`, `in 71 hours`, `in 45 minutes`. Days only from four on, because a deadline in a few days is about hours. Rounded
 * down, so that no one is promised time that there is not. The script of the console and the view for agents' clients have the same rule.
 */
export function timeLeft(at: Date, now: Date): string {
  const minutes = Math.max(1, Math.round((at.getTime() - now.getTime()) / MINUTE_MS));
  const unit = UNITS.find(({ from }) => minutes >= from) ?? UNITS[2];
  const count = Math.floor(minutes / unit.minutes);
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
