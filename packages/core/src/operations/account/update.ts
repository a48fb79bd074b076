import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { accountNameSchema, accountSchema } from '../../schemas/account.ts';
import { newAccountApproversSchema } from '../../schemas/approvers.ts';

const accountChangesSchema = z.strictObject({
  name: accountNameSchema.optional(),
  trackOpens: z.boolean().optional().describe('Turns open tracking on or off.'),
  trackClicks: z.boolean().optional().describe('Turns click tracking on or off.'),
  approvers: newAccountApproversSchema
    .optional()
    .describe(
      'What every approval of a held send needs. Replaces the whole setting: a field you leave out gets its default. Only a caller that may decide held sends (`approvals:decide`) can loosen it. If approvals need a passkey, the setting can be loosened only in the console, with a passkey; elsewhere that fails with `permission_escalation`.',
    ),
  cancelDeletion: z
    .literal(true)
    .optional()
    .describe(
      'If true, keeps an account whose deletion is scheduled. An account without a scheduled deletion stays unchanged.',
    ),
});

export const updateAccount = defineOperation({
  id: 'account.update',
  method: 'PATCH',
  path: '/account',
  access: { kind: 'key', scope: 'account:write' },
  reach: 'shapes-outbound',
  summary: 'Change the account',
  description:
    'Changes the fields you pass and keeps the others. Tracking is off until you turn it on. A change applies to messages accepted a second later. A message that was accepted with tracking keeps its image and its rewritten links, which keep working, but while tracking is off nothing is recorded.',
  effect: 'update',
  body: accountChangesSchema,
  status: 200,
  response: 'json',
  output: accountSchema,
  errors: ['permission_escalation'],
  mcp: {
    tool: 'update_account',
    toolset: 'account',
    title: 'Change the account',
    hides: ['approvers'],
    description:
      'Changes the name or the tracking settings of the account, or keeps an account whose deletion is scheduled. Fields you omit stay unchanged. Not for a single message: tracking applies to all later sends of the account. Ask the user first. Returns the account.',
  },
  cli: {
    command: 'account update',
    examples: [
      'postrider account update --track-opens --no-track-clicks',
      'postrider account update --name "Acme Ltd"',
    ],
  },
});
