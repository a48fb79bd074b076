import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { domainParams, domainRecordsSchema } from '../../schemas/domain.ts';

export const getDomainRecords = defineOperation({
  id: 'domains.records',
  method: 'GET',
  path: '/domains/:id/records',
  access: { kind: 'key', scope: 'domains:read' },
  reach: 'none',
  summary: 'Read the records to publish',
  description:
    'The DNS records of a domain, required records first, each with the result of the last lookup. With `Accept: text/plain` the response is a zone file (RFC 1035) that DNS hosts can import. The suggested DMARC record is a comment in it, with what was found, unless the lookup found no record.',
  effect: 'read',
  params: domainParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: domainRecordsSchema,
  asText: 'A zone file (RFC 1035): absolute names, long TXT values in strings of at most 255 bytes.',
  errors: ['not_found'],
  mcp: {
    tool: 'get_domain_records',
    toolset: 'domains',
    title: 'Read the records to publish',
    description:
      'Reads the DNS records to publish for a domain, for the user or another tool to enter at the DNS host. Returns type, full name, value, priority and ttl of each. Not for checking them: use verify_domain.',
  },
  cli: {
    command: 'domains records',
    description:
      'Prints the DNS records of a domain, required records first, each with the result of the last lookup. With --zone, it prints a zone file that DNS hosts can import; the suggested DMARC record is a comment in it.',
    positional: ['id'],
    examples: [
      'postrider domains records mail.example.com',
      'postrider domains records mail.example.com --zone > mail.example.com.zone',
    ],
  },
});
