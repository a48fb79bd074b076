import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { domainSchema } from '../../schemas/domain.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';

export const listRemovedDomains = defineOperation({
  id: 'domains.history',
  method: 'GET',
  path: '/domains/history',
  access: { kind: 'key', scope: 'domains:read' },
  reach: 'none',
  summary: 'List removed domains',
  description:
    'The domains that were removed from the account, with the DKIM records of their stored keys, newest first, in keyset pages. Restoring a domain restores these keys.',
  effect: 'read',
  query: z.strictObject({ limit: limitSchema, cursor: cursorSchema }),
  status: 200,
  response: 'json',
  output: z.object({ domains: z.array(domainSchema), ...pageFields }).meta({ id: 'DomainHistoryPage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_removed_domains',
    toolset: 'domains',
    title: 'List removed domains',
    description:
      'Lists removed domains whose DKIM keys are stored, newest first, 20 at a time. Returns rows and a cursor. Restore one with restore_domain. Not for domains in use: use list_domains.',
  },
  cli: { command: 'domains history', examples: ['postrider domains history'] },
});
