import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import {
  checkedDomainSchema,
  TOOL_COMMAND_NOTE,
  TOOL_LIMITS,
  TOOL_NOTE,
  toolCheckSchema,
} from '../../schemas/tool-check.ts';

const dmarcRecordSchema = z
  .object({
    type: z.literal('TXT'),
    name: z.string().describe('The name that was queried.'),
    value: z.string().nullable().describe('The record; null if there is none, or it was not read.'),
    purpose: z
      .enum(['policy', 'report_authorization'])
      .describe(
        '`report_authorization`: the record by which another domain agrees to receive the reports (RFC 7489 §7.1).',
      ),
  })
  .meta({ id: 'DmarcRecord' });

export const checkDmarc = defineOperation({
  id: 'tools.dmarc',
  method: 'POST',
  path: '/tools/dmarc',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Check the DMARC policy of a domain',
  description: `Reads the DMARC record at the name, or else at its organizational domain. Checks policy, alignment and report addresses, and whether other domains agree to receive the reports. ${TOOL_NOTE}`,
  effect: 'read',
  body: z.strictObject({ domain: checkedDomainSchema.describe('The domain in From, such as `example.com`.') }),
  anonymousLimits: TOOL_LIMITS,
  status: 200,
  response: 'json',
  output: toolCheckSchema('dmarc', 'DmarcCheck', dmarcRecordSchema, 'The records that were queried.'),
  errors: ['rate_limited'],
  mcp: {
    tool: 'check_dmarc',
    toolset: 'diagnostics',
    title: 'Check DMARC',
    description:
      'Reads the DMARC policy that applies to any domain, and checks policy, alignment and report addresses. Not for checking one message: use check_inbox_placement. Returns findings with fixes, worst first, and the records.',
  },
  cli: {
    command: 'tools dmarc',
    description: `Reads the DMARC record at the name, or else at its organizational domain. Checks policy, alignment and report addresses, and whether other domains agree to receive the reports. ${TOOL_COMMAND_NOTE}`,
    positional: ['domain'],
    examples: ['postrider tools dmarc example.com'],
  },
});
