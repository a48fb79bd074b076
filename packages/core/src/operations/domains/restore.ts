import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { domainParams, domainSchema } from '../../schemas/domain.ts';

export const restoreDomain = defineOperation({
  id: 'domains.restore',
  method: 'POST',
  path: '/domains/:id/restore',
  access: { kind: 'key', scope: 'domains:write' },
  reach: 'shapes-outbound',
  summary: 'Restore a removed domain',
  description: `Restores a removed domain with its keys, so that records which are still published are valid again. The domain is \`pending\`, and its records are looked up immediately. A name that the account has added again is 409 \`already_exists\`; one that another account has verified is 409 \`domain_claimed\`, as when it is created. More than ${LIMITS.domainsPerAccount} domains are 422 with \`too_many\` at \`id\`. A domain that is not removed is returned unchanged.`,
  effect: 'update',
  params: domainParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: domainSchema,
  errors: ['not_found', 'already_exists', 'domain_claimed'],
  mcp: {
    tool: 'restore_domain',
    toolset: 'domains',
    title: 'Restore a removed domain',
    description:
      'Restores a removed domain with its DKIM keys and looks up its records. Returns the domain with its records. Not for a new domain: use create_domain.',
  },
  cli: {
    command: 'domains restore',
    description:
      'Restores a removed domain with its keys, so that records which are still published are valid again. The domain is pending, and its records are looked up immediately. It fails with already_exists if the account has added the name again, and with domain_claimed if another account has verified it. An account has at most 50 domains.',
    positional: ['id'],
    examples: ['postrider domains restore mail.example.com'],
  },
});
