import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { isSpanInOrder, SPAN_IN_DISORDER } from '../../schemas/message-filters.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';
import { requestFilterFields } from '../../schemas/request-filters.ts';
import { requestRecordSchema } from '../../schemas/request-record.ts';

export const listRequests = defineOperation({
  id: 'requests.list',
  method: 'GET',
  path: '/requests',
  access: { kind: 'key', scope: 'logs:read' },
  reach: 'none',
  summary: 'List logged requests',
  description: `Every authenticated request of the account, newest first, for ${LIMITS.requestLogDays} days. All filters that you pass must match. They search the newest ${LIMITS.requestSearchRows.toLocaleString('en')} requests between \`from\` and \`to\`, so pass an earlier \`to\` to search further back.`,
  effect: 'read',
  query: z
    .strictObject({ ...requestFilterFields, limit: limitSchema, cursor: cursorSchema })
    .refine(isSpanInOrder, SPAN_IN_DISORDER),
  status: 200,
  response: 'json',
  output: z.object({ requests: z.array(requestRecordSchema), ...pageFields }).meta({ id: 'RequestPage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_requests',
    toolset: 'logs',
    title: 'List logged requests',
    description:
      'Lists the requests made to the API with this account’s keys: path, status, error code and time, newest first, 20 at a time; filter by status, path, code, key or message. Use it to find what was refused. Not for messages: use list_emails. Returns rows and a cursor.',
  },
  cli: {
    command: 'requests list',
    examples: ['postrider requests list --limit 20', 'postrider requests list --status 4xx --key-id <id>'],
  },
});
