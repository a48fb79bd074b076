import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import {
  checkedDomainSchema,
  selectorSchema,
  TOOL_COMMAND_NOTE,
  TOOL_LIMITS,
  TOOL_NOTE,
  toolCheckSchema,
} from '../../schemas/tool-check.ts';

const dkimRecordSchema = z
  .object({
    type: z.literal('TXT'),
    name: z.string().describe('`<selector>._domainkey.<domain>`.'),
    value: z.string().describe('The record, with its strings joined.'),
    selector: z.string(),
    keyType: z.string().nullable().describe('`rsa` or `ed25519`; null if the record cannot be parsed.'),
    keyBits: z.int().nullable().describe('Length of the key; null if there is none.'),
  })
  .meta({ id: 'DkimRecord' });

export const checkDkim = defineOperation({
  id: 'tools.dkim',
  method: 'POST',
  path: '/tools/dkim',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Check the DKIM keys of a domain',
  description: `Reads the public key under a selector and reports problems with it. Without a selector the common ones are tried; a key under another name is not found. ${TOOL_NOTE}`,
  effect: 'read',
  body: z.strictObject({
    domain: checkedDomainSchema.describe('The signing domain, such as `example.com`.'),
    selector: selectorSchema
      .optional()
      .describe('The selector, the `s=` of a DKIM-Signature header. Without it the common ones are tried.'),
  }),
  anonymousLimits: TOOL_LIMITS,
  status: 200,
  response: 'json',
  output: toolCheckSchema('dkim', 'DkimCheck', dkimRecordSchema, 'The key records that were found.'),
  errors: ['rate_limited'],
  mcp: {
    tool: 'check_dkim',
    toolset: 'diagnostics',
    title: 'Check DKIM keys',
    description:
      'Reads the DKIM key of any domain under a selector, or under the common ones, and reports problems with it. Not for the account’s own sending domains: use list_domains. Returns findings with fixes, worst first, and the keys.',
  },
  cli: {
    command: 'tools dkim',
    description: `Reads the public key under a selector and reports problems with it. Without --selector the common ones are tried; a key under another name is not found. ${TOOL_COMMAND_NOTE}`,
    positional: ['domain'],
    examples: ['postrider tools dkim example.com --selector s1', 'postrider tools dkim example.com'],
  },
});
