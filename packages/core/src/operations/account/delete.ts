import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { accountDeletionSchema } from '../../schemas/account.ts';

export const deleteAccount = defineOperation({
  id: 'account.delete',
  method: 'DELETE',
  path: '/account',
  access: { kind: 'key', scope: 'account:write', users: 'owners' },
  reach: 'controls',
  summary: 'Delete the account',
  description: `Schedules the deletion of the account in ${LIMITS.deletionGraceDays} days. Until then everything keeps working, including sending, so that you can move elsewhere, and \`PATCH /account\` with \`cancelDeletion: true\` keeps the account. After that everything is erased permanently: keys, domains, templates, suppressions, messages with their content and events, statistics, and logs, including the audit log. Messages that are still waiting are not sent. If you call it again, it returns the time that was set first.`,
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
      'Schedules the deletion of the whole account with all its data. Until then everything works, and update_account with `cancelDeletion` keeps it. Only if the user asked for exactly this: ask again first. Not for stopping sends: use pause_account. Returns the time.',
  },
  cli: {
    command: 'account delete',
    description:
      'Schedules the deletion of the account in 30 days. Until then everything keeps working, including sending, and postrider account update --cancel-deletion keeps the account. After that everything is erased permanently: keys, domains, templates, suppressions, messages with their content and events, statistics, and logs, including the audit log. Messages that are still waiting are not sent.',
    examples: ['postrider account delete', 'postrider account delete --yes'],
  },
});
