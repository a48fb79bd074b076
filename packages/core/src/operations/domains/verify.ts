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
    'Looks every record of the domain up now, past all caches, and answers the domain with a pass or fail, the reason and what was found of each. A `failed` domain begins anew. A DNS that cannot be asked changes no status. A name that another account has verified is 409 `domain_claimed` with a TXT record in its `fix`; once that is published the same call takes the domain over. It is `retryable` where the DNS did not answer whether it is.',
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
      'Looks up the records of a domain now and answers pass or fail for each, with the reason and what was found. Not for waiting: records take minutes to hours to appear, and the server looks again by itself. Call it after somebody has published or mended records.',
  },
  cli: {
    command: 'domains verify',
    positional: ['id'],
    examples: ['postrider domains verify mail.example.com', 'postrider domains verify mail.example.com --watch'],
  },
});
