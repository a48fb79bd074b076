import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';
import { mailboxSchema } from '../../schemas/recipients.ts';
import { suppressionReasonSchema, suppressionSchema } from '../../schemas/suppression.ts';

export const listSuppressions = defineOperation({
  id: 'suppressions.list',
  method: 'GET',
  path: '/suppressions',
  access: { kind: 'key', scope: 'suppressions:read' },
  reach: 'none',
  summary: 'List suppressions',
  description:
    'The addresses that the account sends nothing to, newest first, in keyset pages. Entries that have expired count no more and are not shown.',
  effect: 'read',
  query: z.strictObject({
    email: mailboxSchema.optional().describe('Only the entry of this address, without regard to case.'),
    q: z
      .string()
      .min(LIMITS.searchCharactersMin)
      .max(LIMITS.searchCharactersMax)
      .optional()
      .describe(
        `Only addresses that contain this, without regard to case; ${LIMITS.searchCharactersMin} to ${LIMITS.searchCharactersMax} characters.`,
      ),
    reason: suppressionReasonSchema.optional().describe('Only entries of this reason.'),
    limit: limitSchema,
    cursor: cursorSchema,
  }),
  status: 200,
  response: 'json',
  output: z.object({ suppressions: z.array(suppressionSchema), ...pageFields }).meta({ id: 'SuppressionPage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_suppressions',
    toolset: null,
    title: 'List suppressions',
    description:
      'Lists addresses the account must not send to, with the reason, newest first, 20 at a time; give `email` to look one up after recipient_suppressed. Not for removing them: a person decides that. Answers rows and a cursor.',
  },
  cli: {
    command: 'suppressions list',
    examples: ['postrider suppressions list --reason hard_bounce', 'postrider suppressions list --q @example.com'],
  },
});
