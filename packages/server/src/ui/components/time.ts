import { type Html, html } from '../../html/page-markup.ts';

const FULL = new Intl.DateTimeFormat('en-US', {
  ...{
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  },
});
const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' });

/**
 * A time. Without scripts it is in UTC; the script shows it in the reader's time zone.
 * @param form `time` for day and minute; `day` for the day alone; `age` for "5 minutes ago", which the script keeps current
 */
export function time(at: string, form: 'time' | 'day' | 'age' = 'time'): Html {
  return html`<time datetime="${at}" data-form="${form}">${writeTime(at, form)}</time>`;
}

function writeTime(at: string, form: 'time' | 'day' | 'age'): string {
  const date = new Date(at);
  return form === 'day' ? DAY.format(date) : `${FULL.format(date)} UTC`;
}
