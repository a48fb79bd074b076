import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { dkimSelectorSchema, domainParams, domainSchema } from '../../schemas/domain.ts';

export const rotateDomain = defineOperation({
  id: 'domains.rotate',
  method: 'POST',
  path: '/domains/:id/rotate',
  access: { kind: 'key', scope: 'domains:write' },
  reach: 'shapes-outbound',
  summary: 'Rotate the DKIM keys',
  description: `Makes new DKIM keys under a new selector, without a gap: mail is signed with the old key until the record of the new one is found, by verify or by the regular look-ups; then with the new one, and the old record is listed for ${LIMITS.retiredKeyDays} more days, for mail that is still on its way. While new keys wait for their records, calling it again changes nothing unless it names another selector. A removed domain is 404.`,
  effect: 'update',
  params: domainParams,
  query: z.strictObject({}),
  body: z
    .strictObject({
      dkimSelector: dkimSelectorSchema
        .optional()
        .describe(
          'The selector of the new key, one that no key of the name has or had in the last 30 days; made up unless given.',
        ),
      ed25519: z
        .boolean()
        .optional()
        .describe(
          'True adds a second, Ed25519 key or renews it; false takes it away at once. Left out: it is renewed where the domain has one.',
        ),
    })
    .default({}),
  status: 200,
  response: 'json',
  output: domainSchema,
  errors: ['not_found', 'already_exists'],
  mcp: {
    tool: 'rotate_domain_key',
    toolset: 'domains',
    title: 'Rotate the DKIM keys',
    description:
      'Makes new DKIM keys for a domain under a new selector. Not for records that are amiss: mend those. Mail is signed with the old key until the new record is found: tell the user to publish the new one and to keep the old one for now. Answers the domain with its records.',
  },
  cli: {
    command: 'domains rotate',
    positional: ['id'],
    examples: ['postrider domains rotate mail.example.com'],
  },
});
