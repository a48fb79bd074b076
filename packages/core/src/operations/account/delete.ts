import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { accountDeletionSchema } from '../../schemas/account.ts';

export const deleteAccount = defineOperation({
  id: 'account.delete',
  method: 'DELETE',
  path: '/account',
  access: { kind: 'key', scope: 'account:write', people: 'owners' },
  reach: 'controls',
  summary: 'Delete the account',
  description: `Schedules the deletion of the account in ${LIMITS.deletionGraceDays} days. Until then everything works as before, sending included, so that nothing breaks before it has moved elsewhere, and \`PATCH /account\` with \`cancelDeletion: true\` keeps the account. After that everything of it is erased for good: keys, domains, templates, suppressions, messages with their content and trail, statistics, and logs, the audit log included; messages that wait are not sent any more. Asked for again, it answers the time that was set first.`,
  effect: 'delete',
  query: z.strictObject({}),
  status: 202,
  response: 'json',
  output: accountDeletionSchema,
  errors: [],
  mcp: {
    tool: 'delete_account',
    toolset: 'account',
    title: 'Delete the account',
    description:
      'Schedules the deletion of the whole account with all its data; until then everything works, and update_account with `cancelDeletion` keeps it. Only where the user asked for exactly this: ask again first. Not for a stop of sending: use pause_account. Answers the time.',
  },
  cli: { command: 'account delete', examples: ['postrider account delete', 'postrider account delete --yes'] },
});
