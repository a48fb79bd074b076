import { z } from 'zod';

/**
 * A boolean as a query string carries it: `true` or `false`; callers that speak JSON give the boolean itself. Published as a boolean. The default
 * applies behind `.optional()` too, so a filter that has no effect when left out needs another schema.
 */
export const queryFlagSchema = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
  .default(false)
  .meta({ publishedAs: { type: 'boolean', default: false } });
