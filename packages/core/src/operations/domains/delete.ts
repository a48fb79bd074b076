import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { domainParams, domainSchema } from '../../schemas/domain.ts';

export const deleteDomain = defineOperation({
  id: 'domains.delete',
  method: 'DELETE',
  path: '/domains/:id',
  access: { kind: 'key', scope: 'domains:write' },
  reach: 'shapes-outbound',
  summary: 'Remove a domain',
  description:
    'Removes a domain and answers it as `removed`: sends from it are refused at once. Its DKIM keys are kept in the history, from which it can be restored.',
  effect: 'delete',
  params: domainParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: domainSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'delete_domain',
    toolset: 'domains',
    title: 'Remove a sending domain',
    description:
      'Removes a sending domain: every send from it is refused from then on. Not for a domain whose records are amiss: mend them and use verify_domain. Its keys are kept for restore_domain. Ask the user first. Answers the domain.',
  },
  cli: {
    command: 'domains delete',
    positional: ['id'],
    examples: ['postrider domains delete mail.example.com'],
  },
});
