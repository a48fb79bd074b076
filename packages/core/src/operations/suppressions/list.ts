import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';
import { addressFilterSchema } from '../../schemas/recipients.ts';
import { suppressionReasonSchema, suppressionSchema } from '../../schemas/suppression.ts';

export const listSuppressions = defineOperation({
  id: 'suppressions.list',
  method: 'GET',
  path: '/suppressions',
  access: { kind: 'key', scope: 'suppressions:read' },
  reach: 'none',
  summary: 'List suppressions',
  description:
    'The addresses that the account does not send to, newest first, in keyset pages. Expired entries have no effect and are not listed.',
  effect: 'read',
  query: z.strictObject({
    email: addressFilterSchema.optional().describe('Only the entry of this address, case-insensitive.'),
    q: z
      .string()
      .min(LIMITS.searchCharactersMin)
      .max(LIMITS.searchCharactersMax)
      .optional()
      .describe(
        `Only addresses that contain this text, case-insensitive; ${LIMITS.searchCharactersMin} to ${LIMITS.searchCharactersMax} characters.`,
      ),
    reason: suppressionReasonSchema.optional().describe('Only entries with this reason.'),
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
      'Lists addresses the account must not send to, with the reason, newest first, 20 at a time; pass `email` to find one after recipient_suppressed. Not for removing them: if the user asks for it, use remove_suppression (toolset suppressions). Returns rows and a cursor.',
  },
  cli: {
    command: 'suppressions list',
    examples: ['postrider suppressions list --reason hard_bounce', 'postrider suppressions list --q @example.com'],
  },
});
