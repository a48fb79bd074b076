import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { TOOL_LIMITS, TOOL_NOTE, toolCheckSchema } from '../../schemas/tool-check.ts';

const blocklistRecordSchema = z
  .object({
    type: z.literal('A'),
    name: z.string().describe('The name that was asked for, or would have been.'),
    value: z.string().nullable().describe('The first code; null where the list gave none.'),
    list: z.string().describe('The zone of the list.'),
    status: z
      .enum(['listed', 'not_listed', 'could_not_check'])
      .describe(
        '`could_not_check`: the list did not answer, answered with an error, or failed its own test points (RFC 5782).',
      ),
    codes: z.array(z.string()).describe('The addresses the list answered with; what they mean is the list’s to say.'),
    reason: z.string().nullable().describe('What the list says of a listing, or why it could not be asked.'),
  })
  .meta({ id: 'BlocklistRecord' });

export const checkBlocklist = defineOperation({
  id: 'tools.blocklist',
  method: 'POST',
  path: '/tools/blocklist',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Look an address or a domain up in blocklists',
  description: `Asks the blocklists of this installation: an IP address those of addresses, a domain those of domains. Each list is believed only while its test points answer as RFC 5782 says; one that does not is neither listed nor not listed. Private addresses are refused. ${TOOL_NOTE}`,
  effect: 'read',
  body: z.strictObject({
    target: z.string().min(1).max(LIMITS.domainCharacters).describe('A public IPv4 or IPv6 address, or a domain.'),
  }),
  anonymousLimits: TOOL_LIMITS,
  status: 200,
  response: 'json',
  output: toolCheckSchema('blocklist', 'BlocklistCheck', blocklistRecordSchema, 'What each list says.'),
  errors: ['rate_limited'],
  mcp: {
    tool: 'check_blocklist',
    toolset: 'diagnostics',
    title: 'Check blocklists',
    description:
      'Looks a public IP address or a domain up in blocklists: listed, not listed, or could not be checked. Not for recipients: use check_recipients. Answers findings with fixes, worst first, and what each list said.',
  },
  cli: {
    command: 'tools blocklist',
    positional: ['target'],
    examples: ['postrider tools blocklist 198.51.100.7', 'postrider tools blocklist example.com'],
  },
});
