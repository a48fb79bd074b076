import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { suppressionNoteSchema, suppressionSchema } from '../../schemas/suppression.ts';

export const deleteSuppression = defineOperation({
  id: 'suppressions.delete',
  method: 'DELETE',
  path: '/suppressions/:id',
  access: { kind: 'key', scope: 'suppressions:delete' },
  reach: 'shapes-outbound',
  summary: 'Remove a suppression',
  description:
    'Removes an entry from the suppression list, by its id or by its address (URL-encoded), and returns the removed entry. The address can be sent to again. The audit log records the removal with the key that did it and with `note`.',
  effect: 'delete',
  params: z.object({ id: z.string().describe('The id of the entry, or its address.') }),
  query: z.strictObject({
    note: suppressionNoteSchema
      .optional()
      .describe(`Why you remove it, for the audit log; 1 to ${LIMITS.noteCharacters} characters.`),
  }),
  status: 200,
  response: 'json',
  output: suppressionSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'remove_suppression',
    toolset: 'suppressions',
    title: 'Remove a suppression',
    description:
      'Removes an address from the suppression list, so that it can be sent to again. Not for complaints and unsubscribes, unless the recipient asked for it: unwanted mail harms every other send. Ask the user first, and say why in `note`. Returns the removed entry.',
  },
  cli: {
    command: 'suppressions remove',
    description:
      'Removes an entry from the suppression list, by its id or its address. The address can be sent to again. The audit log records the removal with the key that did it and with --note.',
    positional: ['id'],
    examples: ['postrider suppressions remove ada@example.org --note "mailbox is back"'],
  },
});
