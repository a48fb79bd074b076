import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { transformed } from './parse-steps.ts';

/** When to send, as passed: a time, or a duration from now. */
export type ScheduledAt =
  | { readonly kind: 'at'; readonly at: Date }
  | { readonly kind: 'after'; readonly duration: IsoDuration };

/** An ISO 8601 duration by its parts; months and years are calendar ones and whole. */
export interface IsoDuration {
  readonly years: number;
  readonly months: number;
  readonly weeks: number;
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

const DURATION =
  /^P(?=\d|T\d)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4}(?:[.,]\d{1,9})?)W)?(?:(\d{1,4}(?:[.,]\d{1,9})?)D)?(?:T(?=\d)(?:(\d{1,6}(?:[.,]\d{1,9})?)H)?(?:(\d{1,6}(?:[.,]\d{1,9})?)M)?(?:(\d{1,8}(?:[.,]\d{1,9})?)S)?)?$/;
/** In ISO 8601 only the last part may have a fraction, with a point or a comma. */
const EARLY_FRACTION = /[.,]\d+[A-Z].*\d/;
const MOMENT = z.iso.datetime({ offset: true });

/**
 * RFC 3339 with an offset, or an ISO 8601 duration. A time without an offset is rejected, because its meaning would depend on the server's
 * time zone.
 */
export const scheduledAtSchema = transformed(z.string(), (given, context): ScheduledAt => {
  const duration = parseDuration(given);
  if (duration !== null) return { kind: 'after', duration };
  const moment = MOMENT.safeParse(given.replace(/^(\d{4}-\d\d-\d\d)t/, '$1T').replace(/z$/, 'Z'));
  if (moment.success) return { kind: 'at', at: new Date(moment.data) };
  context.addIssue({
    message: 'must be a time with an offset such as `2026-01-31T09:00:00Z`, or a duration such as `PT2H`',
    params: { code: 'invalid_format' },
  });
  return z.NEVER;
}).describe(
  `When to send: RFC 3339 time with an offset, or an ISO 8601 duration such as \`PT2H\`. At most ${LIMITS.scheduleDaysMax} days ahead. A time up to ${LIMITS.schedulePastSeconds} s in the past means now.`,
);

function parseDuration(given: string): IsoDuration | null {
  const match = DURATION.exec(given);
  if (match === null || EARLY_FRACTION.test(given)) return null;
  const part = (index: number) => Number((match[index] ?? '0').replace(',', '.'));
  return {
    years: part(1),
    months: part(2),
    weeks: part(3),
    days: part(4),
    hours: part(5),
    minutes: part(6),
    seconds: part(7),
  };
}
