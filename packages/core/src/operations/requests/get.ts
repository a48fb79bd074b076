import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { requestRecordSchema } from '../../schemas/request-record.ts';

export const getRequest = defineOperation({
  id: 'requests.get',
  method: 'GET',
  path: '/requests/:id',
  access: { kind: 'key', scope: 'logs:read' },
  reach: 'none',
  summary: 'Read one logged request',
  description: `One authenticated request by its \`x-request-id\`, for ${LIMITS.requestLogDays} days. If an id was used several times, the newest request.`,
  effect: 'read',
  params: z.object({ id: z.string().describe('The `x-request-id` of the request.') }),
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: requestRecordSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'get_request',
    toolset: 'logs',
    title: 'Read one logged request',
    description:
      'Reads one logged request by its request id, which every error names. Not for messages: use get_email with its emailId. Returns path, status, error code, duration and the message it created.',
  },
  cli: {
    command: 'requests get',
    description:
      'Shows one authenticated request by its id, for 30 days. If an id was used several times, it is the newest request.',
    positional: ['id'],
    examples: ['postrider requests get <request id>'],
  },
});
