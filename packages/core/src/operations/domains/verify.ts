import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { domainParams, domainSchema } from '../../schemas/domain.ts';

export const verifyDomain = defineOperation({
  id: 'domains.verify',
  method: 'POST',
  path: '/domains/:id/verify',
  access: { kind: 'key', scope: 'domains:write' },
  reach: 'shapes-outbound',
  summary: 'Verify a domain',
  description:
    'Looks up every record of the domain now, without caches, and returns the domain with a pass or fail, the reason and what was found for each record. Verification of a `failed` domain starts again. A DNS error does not change the status. A name that another account has verified is 409 `domain_claimed` with a TXT record in its `fix`; once that is published, the same call moves the domain to this account. The error is `retryable` if the lookup of the TXT record failed.',
  effect: 'update',
  params: domainParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: domainSchema,
  errors: ['not_found', 'domain_claimed'],
  mcp: {
    tool: 'verify_domain',
    toolset: 'domains',
    title: 'Verify a sending domain',
    description:
      'Verifies a sending domain: looks up its DNS records now. Returns pass or fail for each, with the reason and what was found. Call it after records were published or corrected. Not for polling: records take minutes to hours to appear, and the server checks again automatically.',
  },
  cli: {
    command: 'domains verify',
    description:
      'Looks up every record of the domain now, without caches, and prints for each whether it passed, the reason and what was found. Verification of a failed domain starts again. A DNS error does not change the status. If another account has verified the domain, the command fails with domain_claimed and prints a TXT record; publish it and run the command again to move the domain to this account.',
    positional: ['id'],
    examples: ['postrider domains verify mail.example.com', 'postrider domains verify mail.example.com --watch'],
  },
});
