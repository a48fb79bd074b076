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
    'The domains that were removed from the account, with the DKIM records of the keys that are kept, newest first, in keyset pages. Restoring one brings these keys back.',
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
      'Lists domains that were removed from the account and whose DKIM keys are kept, newest first, 20 at a time. Not for domains in use: use list_domains. Bring one back with restore_domain. Answers rows and a cursor.',
  },
  cli: { command: 'domains history', examples: ['postrider domains history'] },
});
