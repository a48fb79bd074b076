import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { checkedDomainSchema, TOOL_LIMITS, TOOL_NOTE, toolCheckSchema } from '../../schemas/tool-check.ts';

const spfRecordSchema = z
  .object({
    type: z.literal('TXT'),
    name: z.string().describe('Where the record was looked for.'),
    value: z.string().nullable().describe('The SPF record; null where there is none, or it was not read.'),
    via: z.enum(['start', 'include', 'redirect']).describe('What led here.'),
    parent: z.string().nullable().describe('The name whose record led here; null at the start.'),
    depth: z.int().describe('How many steps from the start.'),
    lookups: z
      .int()
      .describe('Look-ups that the terms of this record ask for, of the ten that all may ask for together.'),
    state: z
      .enum(['found', 'missing', 'several', 'loop', 'macro', 'could_not_check'])
      .describe('What came of it. `loop`: it stands above already. `macro`: the name depends on the message.'),
  })
  .meta({ id: 'SpfRecord' });

export const checkSpf = defineOperation({
  id: 'tools.spf',
  method: 'POST',
  path: '/tools/spf',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Check the SPF record of a domain',
  description: `Reads the SPF record with everything it includes and redirects to, counts the ten look-ups and the two that may lead to nothing, and names what is wrong. ${TOOL_NOTE}`,
  effect: 'read',
  body: z.strictObject({ domain: checkedDomainSchema.describe('The domain, such as `example.com`.') }),
  anonymousLimits: TOOL_LIMITS,
  status: 200,
  response: 'json',
  output: toolCheckSchema(
    'spf',
    'SpfCheck',
    spfRecordSchema,
    'The whole tree of records, each before those it leads to.',
  ),
  errors: ['rate_limited'],
  mcp: {
    tool: 'check_spf',
    toolset: 'diagnostics',
    title: 'Check SPF',
    description:
      'Reads the SPF record of any domain with everything it includes, counts the ten look-ups and names what is wrong. Not for the account’s own sending domains: use list_domains. Answers findings with fixes, worst first, and the tree of records.',
  },
  cli: { command: 'tools spf', positional: ['domain'], examples: ['postrider tools spf example.com'] },
});
