import { z } from 'zod';

/**
 * A boolean in a query string: `true` or `false`; callers that send JSON pass a boolean. Published as a boolean. The default
 * applies behind `.optional()` too, so a filter that has no effect when omitted needs another schema.
 */
export const queryFlagSchema = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
  .default(false)
  .meta({ publishedAs: { type: 'boolean', default: false } });
