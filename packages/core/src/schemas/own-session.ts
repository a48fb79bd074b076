import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { idSchema, timestampSchema } from './identifiers.ts';

export const ownSessionParams = z.object({ id: z.string().describe('Session id.') });

/** A session of the signed-in user, without its token. */
export const ownSessionSchema = z
  .object({
    id: idSchema,
    kind: z.enum(['browser', 'device']).describe('`device`: started with `POST /auth/device`.'),
    client: z
      .string()
      .nullable()
      .describe(
        'What the program or browser said about itself when it signed in. Nothing proves it. Null where it was not recorded.',
      ),
    address: z
      .string()
      .nullable()
      .describe('The IP address of the client that signed in. Null where it was not recorded.'),
    account: z.object({ id: idSchema, name: z.string() }).describe('The account the session is in.'),
    approvals: z.boolean().describe('Whether it may decide held sends if the role may; always true in a browser.'),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema.describe('Rounded to the minute.'),
    expiresAt: timestampSchema.describe(
      `After ${LIMITS.sessionIdleDays} days without use, and at the latest ${LIMITS.sessionDays} days after it began.`,
    ),
    current: z.boolean().describe('Whether it is the session of this request.'),
  })
  .meta({ id: 'OwnSession' });
