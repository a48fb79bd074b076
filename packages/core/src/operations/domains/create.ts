import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { dkimSelectorSchema, domainNameSchema, domainSchema, returnPathSchema } from '../../schemas/domain.ts';

export const createDomain = defineOperation({
  id: 'domains.create',
  method: 'POST',
  path: '/domains',
  access: { kind: 'key', scope: 'domains:write' },
  reach: 'shapes-outbound',
  summary: 'Add a sending domain',
  description: `Makes a DKIM key pair (RSA, 2048 bits) for a domain and answers the records to publish: DKIM, and SPF and MX of the return path, are required; DMARC is advice. The domain is \`pending\` until they are found: call verify once they are published, or wait. A subdomain is a domain of its own. Top-level domains and other public suffixes are refused. An account has at most ${LIMITS.domainsPerAccount} domains (422 with \`too_many\` at \`name\`); one it has already is 409 \`already_exists\`. A name that another account has verified is 409 \`domain_claimed\`: its \`fix\` holds a TXT record; once that is published, the same call succeeds and the other account loses the domain. A name that was removed gets new keys; \`restore\` brings the old ones back. A selector that a key had at the name before is 409 \`already_exists\`. Names for special use (\`localhost\`, \`local\`, \`onion\`, \`invalid\`, \`arpa\`) are refused.`,
  effect: 'create',
  body: z.strictObject({
    name: domainNameSchema.describe(
      'The domain that mail is to be sent from, for example `mail.example.com`. IDNs become A-labels.',
    ),
    dkimSelector: dkimSelectorSchema
      .optional()
      .describe(
        `The selector of the DKIM key, the part before \`._domainkey\`; made up unless given. At most ${LIMITS.dkimSelectorCharacters} characters.`,
      ),
    returnPath: returnPathSchema
      .optional()
      .describe(
        'The host that bounces come back to, below the domain: a label (`bounce`), or a full name (`bounce.mail.example.com`). It must have no other use. `bounce` unless given.',
      ),
    ed25519: z
      .boolean()
      .optional()
      .describe(
        'Adds a second, Ed25519 key (RFC 8463) with a record of its own. Mail carries a second signature once that record is found; the domain is verified without it.',
      ),
  }),
  status: 201,
  response: 'json',
  output: domainSchema,
  errors: ['already_exists', 'domain_claimed'],
  mcp: {
    tool: 'create_domain',
    toolset: 'domains',
    title: 'Add a sending domain',
    description:
      'Adds a domain to send from and answers the DNS records that somebody must publish for it. Not for checking them: call verify_domain once they are published. Nothing can be sent from it before. Tell the user the records word for word. Answers the domain.',
  },
  cli: {
    command: 'domains add',
    positional: ['name'],
    examples: ['postrider domains add mail.example.com'],
  },
});
