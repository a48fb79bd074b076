/** Each takes some hundredths of a second to make on a phone, so it is made when it is first needed. */
const FORMATS = {
  time: once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })),
  day: once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })),
  exact: once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })),
  age: once(() => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })),
};

const MINUTE_MS = 60_000;
/** Each unit with its minutes, and from how many on it is used: for an age, and for the time left, as in html/time-words.ts of the server. */
const UNITS = [
  ['day', 1_440, 2_880, 5_760],
  ['hour', 60, 120, 120],
  ['minute', 1, 1, 1],
] as const;
/** From here on, a date says more than an age. */
const AGE_DAYS = 7;

/** Makes the formats of the page's times, one in a task, so that the page responds meanwhile, and writes the times. */
export async function showFirstTimes(): Promise<void> {
  const forms = new Set([...document.querySelectorAll<HTMLElement>('time[datetime]')].map(formOf));
  for (const form of forms) {
    await new Promise((resolve) => setTimeout(resolve));
    FORMATS[form]();
  }
  showLocalTimes(document);
}

/** Writes every time in the reader's language and time zone. */
export function showLocalTimes(part: ParentNode): void {
  for (const element of part.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const text = write(at, formOf(element));
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Ages grow while the page is open. The exact time is the title of a time that is pointed at. */
export function keepTimesCurrent(): void {
  setInterval(() => showLocalTimes(document), MINUTE_MS / 2);
  document.addEventListener('pointerover', ({ target }) => {
    const element = target instanceof Element ? target.closest<HTMLTimeElement>('time[datetime]') : null;
    const at = new Date(element?.dateTime ?? '');
    if (element === null || Number.isNaN(at.getTime())) return;
    element.title = `${FORMATS.exact().format(at)} (${element.dateTime})`;
  });
}

type Form = 'time' | 'day' | 'age';

function formOf({ dataset: { form } }: HTMLElement): Form {
  return form === 'day' || form === 'age' ? form : 'time';
}

function once<T>(make: () => T): () => T {
  let made: T | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

function write(at: Date, form: Form): string {
  if (form === 'day') return FORMATS.day().format(at);
  const exact = (at.getTime() - Date.now()) / MINUTE_MS;
  const minutes = exact >= 1 ? Math.round(exact) : exact;
  if (form !== 'age' || Math.abs(minutes) > AGE_DAYS * 1_440) return FORMATS.time().format(at);
  const [unit, length] = UNITS.find(([, , age, left]) => Math.abs(minutes) >= (minutes > 0 ? left : age)) ?? UNITS[2];
  if (Math.abs(minutes) < 1) return minutes > 0 ? 'in less than a minute' : 'just now';
  return FORMATS.age().format(Math.trunc(minutes / length), unit);
}
