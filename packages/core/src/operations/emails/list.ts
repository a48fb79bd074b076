import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { messageRecordSchema, messageStatusSchema } from '../../schemas/message.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';

export const listEmails = defineOperation({
  id: 'emails.list',
  method: 'GET',
  path: '/emails',
  access: { kind: 'key', scope: 'emails:read' },
  summary: 'List emails',
  description: 'The message log, newest first, in keyset pages: follow `nextCursor` until it is null.',
  effect: 'read',
  query: z.strictObject({
    status: messageStatusSchema.optional().describe('Only messages that stand there.'),
    limit: limitSchema,
    cursor: cursorSchema,
  }),
  upcoming: { query: ['q', 'tag', 'channel', 'source', 'agent_name', 'recipient', 'domain', 'from', 'to'] },
  status: 200,
  response: 'json',
  output: z.object({ messages: z.array(messageRecordSchema), ...pageFields }).meta({ id: 'MessagePage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_emails',
    title: 'List emails',
    description:
      'Lists the newest messages of the account, optionally of one status, 20 rows at a time. Not for content or trails: use get_email with an id. Answers rows and a cursor for the next page.',
  },
  cli: { command: 'emails list', examples: ['postrider emails list --status bounced --limit 20'] },
});
