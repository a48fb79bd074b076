import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keySchema } from '../../schemas/key.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';

export const listKeys = defineOperation({
  id: 'keys.list',
  method: 'GET',
  path: '/keys',
  access: { kind: 'key', scope: 'keys:read' },
  reach: 'none',
  summary: 'List keys',
  description:
    'The keys of the account without their secrets, newest first, in keyset pages, including revoked and expired ones.',
  effect: 'read',
  query: z.strictObject({ limit: limitSchema, cursor: cursorSchema }),
  status: 200,
  response: 'json',
  output: z.object({ keys: z.array(keySchema), ...pageFields }).meta({ id: 'KeyPage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_keys',
    toolset: 'keys',
    title: 'List keys',
    description:
      'Lists the account’s API keys without their secrets, newest first, 20 at a time, including revoked and expired ones. Not for the key you call with: use get_sending_context. Returns short rows and a cursor.',
  },
  cli: { command: 'keys list', examples: ['postrider keys list'] },
});
