const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const AGE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const MINUTE_MS = 60_000;
const UNITS = [
  ['day', 1_440, 2_880],
  ['hour', 60, 120],
  ['minute', 1, 1],
] as const;
/** From here on, a date says more than an age. */
const AGE_DAYS = 7;

/** Writes every time in the reader's language and time zone; the exact time is its title. */
export function showLocalTimes(part: ParentNode): void {
  for (const element of part.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    element.title = `${EXACT.format(at)} (${element.dateTime})`;
    const text = write(at, element.dataset['form'] ?? 'time');
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Ages grow while the page is open. */
export function keepTimesCurrent(): void {
  setInterval(() => showLocalTimes(document), MINUTE_MS / 2);
}

function write(at: Date, form: string): string {
  if (form === 'day') return DAY.format(at);
  const minutes = (at.getTime() - Date.now()) / MINUTE_MS;
  if (form !== 'age' || Math.abs(minutes) > AGE_DAYS * 1_440) return TIME.format(at);
  const [unit, length] = UNITS.find(([, , from]) => Math.abs(minutes) >= from) ?? UNITS[2];
  if (Math.abs(minutes) < 1) return minutes > 0 ? 'in less than a minute' : 'just now';
  return AGE.format(Math.trunc(minutes / length), unit);
}
