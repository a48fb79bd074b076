import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import type { Operation } from '../operation.ts';

const FAR_OUT = 10 ** 12;

/**
 * An integer in a query string: only decimal digits, so `1e2`, ` 5` and `0x5` are rejected. Callers that send JSON pass a number. Published
 * as an integer.
 */
export function integerInQuery(min: number, max: number, byDefault?: number) {
  const digits = z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    // Larger ones are just as far out of range, and the number type does not hold them exactly.
    .transform((text) => Math.max(-FAR_OUT, Math.min(FAR_OUT, Number(text))));
  return z
    .union([z.number(), digits])
    .pipe(z.number().int().min(min).max(max))
    .meta({
      publishedAs: {
        type: 'integer',
        minimum: min,
        maximum: max,
        ...(byDefault === undefined ? {} : { default: byDefault }),
      },
    });
}

export const limitSchema = integerInQuery(1, LIMITS.pageSizeMax, LIMITS.pageSizeDefault)
  .default(LIMITS.pageSizeDefault)
  .describe(`Page size, 1 to ${LIMITS.pageSizeMax}.`);

/** Without a maximum length: any value that no response contained gets the code for an invalid cursor. */
export const cursorSchema = z.string().optional().describe('`nextCursor` of the previous page; keep the filters.');

/** The fields every list returns beside its items. */
export const pageFields = {
  total: z
    .number()
    .int()
    .describe(
      `Number of matches on all pages. Above ${LIMITS.exactTotalMax} it can be an estimate, and \`totalIsEstimate\` is then true.`,
    ),
  totalIsEstimate: z.boolean(),
  nextCursor: z.string().nullable().describe('Pass it as `cursor` to get the next page; null on the last page.'),
};

/** Whether an operation returns a page whose size the caller chooses. */
export function pagesRows({ query }: Operation): boolean {
  return query?.shape['limit'] === limitSchema;
}
