import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import {
  checkedDomainSchema,
  TOOL_COMMAND_NOTE,
  TOOL_LIMITS,
  TOOL_NOTE,
  toolCheckSchema,
} from '../../schemas/tool-check.ts';

const spfRecordSchema = z
  .object({
    type: z.literal('TXT'),
    name: z.string().describe('The name that was queried.'),
    value: z.string().nullable().describe('The SPF record; null if there is none, or it was not read.'),
    via: z.enum(['start', 'include', 'redirect']).describe('The kind of term that led to this record.'),
    parent: z.string().nullable().describe('The name whose record led to this one; null for the first.'),
    depth: z.int().describe('Number of steps from the first record.'),
    lookups: z.int().describe('DNS lookups that the terms of this record need, of the ten allowed in total.'),
    state: z
      .enum(['found', 'missing', 'several', 'loop', 'macro', 'could_not_check'])
      .describe(
        'The result. `loop`: the record is already in the tree above. `macro`: the name depends on the message.',
      ),
  })
  .meta({ id: 'SpfRecord' });

export const checkSpf = defineOperation({
  id: 'tools.spf',
  method: 'POST',
  path: '/tools/spf',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Check the SPF record of a domain',
  description: `Reads the SPF record with everything it includes and redirects to, counts the lookups (ten are allowed, two of them without a result), and reports problems. ${TOOL_NOTE}`,
  effect: 'read',
  body: z.strictObject({ domain: checkedDomainSchema.describe('The domain, such as `example.com`.') }),
  anonymousLimits: TOOL_LIMITS,
  status: 200,
  response: 'json',
  output: toolCheckSchema(
    'spf',
    'SpfCheck',
    spfRecordSchema,
    'The whole tree of records, each before those it includes.',
  ),
  errors: ['rate_limited'],
  mcp: {
    tool: 'check_spf',
    toolset: 'diagnostics',
    title: 'Check SPF',
    description:
      'Reads the SPF record of any domain with everything it includes, counts DNS lookups and reports problems. Not for the account’s own sending domains: use list_domains. Returns findings with fixes, worst first, and the tree of records.',
  },
  cli: {
    command: 'tools spf',
    description: `Reads the SPF record with everything it includes and redirects to, counts the lookups (ten are allowed, two of them without a result), and reports problems. ${TOOL_COMMAND_NOTE}`,
    positional: ['domain'],
    examples: ['postrider tools spf example.com'],
  },
});
