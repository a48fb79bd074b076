import { z } from 'zod';

/** The same with another default. */
export function queryFlag(byDefault: boolean) {
  return z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
    .default(byDefault)
    .meta({ publishedAs: { type: 'boolean', default: byDefault } });
}

/**
 * A boolean in a query string: `true` or `false`. Callers that send JSON pass a boolean. Published as a boolean. The default also applies
 * with `.optional()`, so a filter without a default needs another schema.
 */
export const queryFlagSchema = queryFlag(false);
