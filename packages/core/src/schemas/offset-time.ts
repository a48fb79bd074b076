import { z } from 'zod';

const MOMENT = z.iso.datetime({ offset: true });

/**
 * RFC 3339 with an offset; parses to a Date. A time without an offset is rejected, because its meaning would depend on the server's time
 * zone.
 */
export const offsetTimeSchema = z.string().transform((given, context): Date => {
  // RFC 3339 allows `t` and `z` in lower case.
  const moment = MOMENT.safeParse(given.replace(/^(\d{4}-\d\d-\d\d)t/, '$1T').replace(/z$/, 'Z'));
  if (moment.success) return new Date(moment.data);
  context.addIssue({
    code: 'custom',
    message: 'must be a time with an offset, for example `2026-01-31T09:00:00Z`',
    params: { code: 'invalid_format' },
  });
  return z.NEVER;
});
