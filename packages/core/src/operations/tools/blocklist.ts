import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { TOOL_COMMAND_NOTE, TOOL_LIMITS, TOOL_NOTE, toolCheckSchema } from '../../schemas/tool-check.ts';

const blocklistRecordSchema = z
  .object({
    type: z.literal('A'),
    name: z.string().describe('The name that was queried, or would have been.'),
    value: z.string().nullable().describe('The first code; null if the list returned none.'),
    list: z.string().describe('The DNS zone of the list.'),
    status: z
      .enum(['listed', 'not_listed', 'could_not_check'])
      .describe(
        '`could_not_check`: the list did not respond, returned an error, or failed its own test points (RFC 5782).',
      ),
    codes: z.array(z.string()).describe('The addresses the list returned; each list defines what they mean.'),
    reason: z.string().nullable().describe('The reason for the listing, or why the list could not be queried.'),
  })
  .meta({ id: 'BlocklistRecord' });

export const checkBlocklist = defineOperation({
  id: 'tools.blocklist',
  method: 'POST',
  path: '/tools/blocklist',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Check an address or a domain against blocklists',
  description: `Queries the blocklists of this installation: lists of addresses for an IP address, lists of domains for a domain. A list counts only while its test points respond as RFC 5782 requires; otherwise its result is neither listed nor not listed. Private addresses are refused. ${TOOL_NOTE}`,
  effect: 'read',
  body: z.strictObject({
    target: z.string().min(1).max(LIMITS.domainCharacters).describe('A public IPv4 or IPv6 address, or a domain.'),
  }),
  anonymousLimits: TOOL_LIMITS,
  status: 200,
  response: 'json',
  output: toolCheckSchema('blocklist', 'BlocklistCheck', blocklistRecordSchema, 'The result of each list.'),
  errors: ['rate_limited'],
  mcp: {
    tool: 'check_blocklist',
    toolset: 'diagnostics',
    title: 'Check blocklists',
    description:
      'Checks a public IP address or a domain against blocklists: listed, not listed, or could not be checked. Not for checking recipients of a send: use check_recipients. Returns findings with fixes, worst first, and the result of each list.',
  },
  cli: {
    command: 'tools blocklist',
    description: `Queries the blocklists of this installation: lists of addresses for an IP address, lists of domains for a domain. A list counts only while its test points respond as RFC 5782 requires; otherwise its result is neither listed nor not listed. Private addresses are refused. ${TOOL_COMMAND_NOTE}`,
    positional: ['target'],
    examples: ['postrider tools blocklist 198.51.100.7', 'postrider tools blocklist example.com'],
  },
});
