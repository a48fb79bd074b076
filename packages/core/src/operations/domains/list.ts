import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { domainNameSchema, domainSchema, listedDomainStatusSchema } from '../../schemas/domain.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';

export const listDomains = defineOperation({
  id: 'domains.list',
  method: 'GET',
  path: '/domains',
  access: { kind: 'key', scope: 'domains:read' },
  reach: 'none',
  summary: 'List sending domains',
  description:
    'The sending domains of the account with their status and records, newest first, in keyset pages. The history lists removed domains.',
  effect: 'read',
  query: z.strictObject({
    status: listedDomainStatusSchema
      .optional()
      .describe('Only domains with this status. The history lists removed domains.'),
    name: domainNameSchema
      .optional()
      .describe('Only the domain of exactly this name, in any case, as U-labels or A-labels.'),
    limit: limitSchema,
    cursor: cursorSchema,
  }),
  status: 200,
  response: 'json',
  output: z.object({ domains: z.array(domainSchema), ...pageFields }).meta({ id: 'DomainPage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_domains',
    toolset: null,
    title: 'List sending domains',
    description:
      'Lists sending domains, 20 at a time. Returns rows with status and DNS problems, and a cursor. Only verified and degraded domains can send. Not for the records to publish: use get_domain (toolset domains).',
    // An account has few domains, and each row shows its status.
    hides: ['status', 'name'],
  },
  cli: { command: 'domains list', examples: ['postrider domains list', 'postrider domains list --status failed'] },
});
