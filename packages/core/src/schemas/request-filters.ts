import { z } from 'zod';
import { idSchema } from './identifiers.ts';
import { timeBoundSchema } from './time-bound.ts';

const PATH_CHARACTERS = 500;
const CODE_CHARACTERS = 100;

/** The filters of the request log. All filters that are passed must match. */
export const requestFilterFields = {
  status: z
    .string()
    .regex(/^[1-5](?:\d\d|xx)$/, 'must be a status such as `404`, or a class such as `4xx`')
    .optional()
    .describe('Only requests with this status, such as `404`, or of this class, such as `4xx`.'),
  method: z
    .enum(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'SMTP'])
    .optional()
    .describe('Only requests with this method. `SMTP` selects what was submitted over SMTP.'),
  path: z
    .string()
    .min(1)
    .max(PATH_CHARACTERS)
    .optional()
    .describe('Only requests whose path contains this text. No wildcards, case-sensitive.'),
  code: z
    .string()
    .min(1)
    .max(CODE_CHARACTERS)
    .optional()
    .describe('Only requests that were refused with this error code.'),
  key_id: idSchema.optional().describe('Only requests of this key.'),
  email_id: idSchema.optional().describe('Only requests that created or named this message.'),
  from: timeBoundSchema
    .optional()
    .describe('Made at or after this RFC 3339 time with an offset, or date (its start in UTC).'),
  to: timeBoundSchema.optional().describe('Made before this time or date.'),
};
