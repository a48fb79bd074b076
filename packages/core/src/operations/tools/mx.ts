import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import {
  checkedDomainSchema,
  TOOL_COMMAND_NOTE,
  TOOL_LIMITS,
  TOOL_NOTE,
  toolCheckSchema,
} from '../../schemas/tool-check.ts';

const mxRecordSchema = z
  .object({
    type: z.enum(['MX', 'A', 'AAAA', 'CNAME', 'PTR']),
    name: z.string().describe('The name of the record; for a PTR record the address.'),
    value: z.string().describe('The host, the address or the name; empty for a null MX.'),
    priority: z.int().nullable().describe('Of an MX record: lower values are tried first. Null otherwise.'),
  })
  .meta({ id: 'MxRecord' });

export const checkMx = defineOperation({
  id: 'tools.mx',
  method: 'POST',
  path: '/tools/mx',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Check the mail exchangers of a domain',
  description: `Reads the MX records with the addresses of each host and their names, and reports whether mail can be delivered to the domain. No connection to the hosts is made. ${TOOL_NOTE}`,
  effect: 'read',
  body: z.strictObject({ domain: checkedDomainSchema.describe('The domain, such as `example.com`.') }),
  anonymousLimits: TOOL_LIMITS,
  status: 200,
  response: 'json',
  output: toolCheckSchema(
    'mx',
    'MxCheck',
    mxRecordSchema,
    'MX records by preference, each followed by the records of its host.',
  ),
  errors: ['rate_limited'],
  mcp: {
    tool: 'check_mx',
    toolset: 'diagnostics',
    title: 'Check mail exchangers',
    description:
      'Reads where mail for any domain is sent: MX hosts, their addresses and names, and whether it can be delivered. Not for testing whether a mailbox exists: it connects to no mail server. Returns findings with fixes, worst first, and the records.',
  },
  cli: {
    command: 'tools mx',
    description: `Reads the MX records with the addresses of each host and their names, and reports whether mail can be delivered to the domain. No connection to the hosts is made. ${TOOL_COMMAND_NOTE}`,
    positional: ['domain'],
    examples: ['postrider tools mx example.com'],
  },
});
