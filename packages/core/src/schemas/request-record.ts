import { z } from 'zod';
import { idSchema, timestampSchema } from './identifiers.ts';

/** One authenticated request as it was logged. */
export const requestRecordSchema = z
  .object({
    id: z.string().describe('The `x-request-id` of the request.'),
    method: z.string(),
    path: z.string().describe('Without the query string.'),
    status: z.number().int(),
    code: z.string().nullable().describe('The error code, if the request was refused.'),
    durationMs: z.number().int(),
    keyId: idSchema.nullable(),
    emailId: idSchema.nullable().describe('The message that the request created or named.'),
    createdAt: timestampSchema,
  })
  .meta({ id: 'RequestRecord' });
