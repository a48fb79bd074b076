import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { accountNameSchema, accountSchema } from '../../schemas/account.ts';

const accountChangesSchema = z.strictObject({
  name: accountNameSchema.optional(),
  trackOpens: z.boolean().optional().describe('Turns open tracking on or off.'),
  trackClicks: z.boolean().optional().describe('Turns click tracking on or off.'),
  cancelDeletion: z
    .literal(true)
    .optional()
    .describe('True keeps an account that is to be deleted; one that is not stays as it is.'),
});

export const updateAccount = defineOperation({
  id: 'account.update',
  method: 'PATCH',
  path: '/account',
  access: { kind: 'key', scope: 'account:write' },
  reach: 'shapes-outbound',
  summary: 'Change the account',
  description:
    'Changes what is given and leaves the rest. The tracking switches are off until somebody turns them on; they act on messages accepted a second later. A message that was accepted with tracking keeps its image and its rewritten links, which go on to work, but while a switch is off nothing is recorded.',
  effect: 'update',
  body: accountChangesSchema,
  status: 200,
  response: 'json',
  output: accountSchema,
  errors: [],
  mcp: {
    tool: 'update_account',
    toolset: 'account',
    title: 'Change the account',
    description:
      'Changes the name or the tracking switches of the account, or keeps an account that is to be deleted. What you leave out stays. Not for one message: switches act on all later sends of everybody. Ask the user first. Answers the account.',
  },
  cli: {
    command: 'account update',
    examples: [
      'postrider account update --track-opens --no-track-clicks',
      'postrider account update --name "Acme Ltd"',
    ],
  },
});
