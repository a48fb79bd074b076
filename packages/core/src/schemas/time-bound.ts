import { z } from 'zod';
import { offsetTimeSchema } from './offset-time.ts';

const DATE = z.iso.date();
/** The database cannot store times before the year 1. */
const YEAR_ONE_MS = -62_135_596_800_000;
/** `+` means a space in query strings, so an unescaped offset arrives with a space, which has no other meaning here. */
const LOST_PLUS = / (\d\d:\d\d)$/;

/** A bound of a time range; parses to a Date. RFC 3339 with an offset, or a date, which means its start in UTC. */
export const timeBoundSchema = z.string().transform((given, context): Date => {
  const bound = DATE.safeParse(given).success
    ? new Date(`${given}T00:00:00Z`)
    : offsetTimeSchema.safeParse(given.replace(LOST_PLUS, '+$1')).data;
  if (bound !== undefined && bound.getTime() >= YEAR_ONE_MS) return bound;
  context.addIssue({
    code: 'custom',
    message: 'must be a time with an offset such as `2026-01-31T09:00:00Z`, or a date such as `2026-01-31`',
    params: { code: 'invalid_format' },
  });
  return z.NEVER;
});
