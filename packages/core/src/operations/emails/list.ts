import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { messageRecordSchema } from '../../schemas/message.ts';
import { isSpanInOrder, messageFilterFields, SPAN_IN_DISORDER } from '../../schemas/message-filters.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';

export const listEmails = defineOperation({
  id: 'emails.list',
  method: 'GET',
  path: '/emails',
  access: { kind: 'key', scope: 'emails:read' },
  reach: 'none',
  summary: 'List emails',
  description:
    'The message log, newest first, in keyset pages: follow `nextCursor` until it is null. If you combine filters, all must match. A message can be found as soon as it is accepted.',
  effect: 'read',
  query: z
    .strictObject({ ...messageFilterFields, limit: limitSchema, cursor: cursorSchema })
    .refine(isSpanInOrder, SPAN_IN_DISORDER),
  status: 200,
  response: 'json',
  output: z.object({ messages: z.array(messageRecordSchema), ...pageFields }).meta({ id: 'MessagePage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_emails',
    toolset: null,
    title: 'List emails',
    description:
      'Lists or searches messages, newest first, 20 rows a page. Returns rows with id, status, sender, recipients and subject, and a cursor for the next page. All filters you pass must match. Not for content or events: use get_email with an id. Not for waiting for an outcome: use wait_for_email.',
    renames: { since: 'from', until: 'to', from: 'sender' },
  },
  cli: {
    command: 'emails list',
    description:
      'Lists the message log, newest first. If you combine filters, all must match. A message is listed as soon as it is accepted. For the next page, repeat the command with --cursor.',
    examples: [
      'postrider emails list --status bounced --limit 20',
      'postrider emails list --q invoice --tag order --from 2026-01-01',
    ],
  },
});
