import { z } from 'zod';

/**
 * A boolean in a query string: `true` or `false`. Callers that send JSON pass a boolean. Published as a boolean. The default also applies
 * with `.optional()`, so a filter without a default needs another schema.
 */
export const queryFlagSchema = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
  .default(false)
  .meta({ publishedAs: { type: 'boolean', default: false } });
