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
    'Removes a domain and returns it with the status `removed`. Sends from it are refused immediately. Its DKIM keys stay in the history, so that it can be restored.',
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
      'Removes a sending domain: every later send from it is refused. Ask the user first. Returns the domain; restore_domain restores it with its keys. Not for a domain with wrong DNS records: correct them and use verify_domain.',
  },
  cli: {
    command: 'domains delete',
    positional: ['id'],
    examples: ['postrider domains delete mail.example.com'],
  },
});
