import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { batchBodySchema, batchOutcomeSchema } from '../../schemas/batch.ts';
import { SEND_RESPONSE_HEADERS, sendHeadersSchema } from '../../schemas/send-headers.ts';
import { sendRequestSchema } from '../../schemas/send-request.ts';

export const sendEmailBatch = defineOperation({
  id: 'emails.send-batch',
  method: 'POST',
  path: '/emails/batch',
  access: { kind: 'key', scope: 'emails:send' },
  reach: 'outbound',
  summary: 'Send up to 100 emails in one call',
  description:
    'Judges each item by itself, and always answers 207 with one result an item, in order: an item that is refused, or is no valid send at all, has `ok` false and its problem in `error`, and fails no other. With `Idempotency-Key` each item has the key `<key>:<index>`, so that the same call again replays what was accepted and tries the rest anew. The provenance headers hold for every item that does not say otherwise. An item with `dry_run` is checked and not sent.',
  effect: 'send',
  headers: sendHeadersSchema,
  body: batchBodySchema,
  itemwise: { field: 'emails', item: sendRequestSchema },
  bodyBytes: LIMITS.sendBodyBytes,
  status: 207,
  response: 'json',
  output: batchOutcomeSchema,
  responseHeaders: {
    ...SEND_RESPONSE_HEADERS,
    'idempotency-replayed': '`true` where at least one item was accepted before under its idempotency key.',
  },
  errors: [],
  mcp: {
    tool: 'send_email_batch',
    toolset: null,
    title: 'Send several emails',
    description:
      'Sends 1 to 100 different emails in one call, each judged by itself. Not for one email to several people: that is send_email. Answers one result an item: an id with its status, or why it was refused. Repeat only refused items, or the whole call with the same idempotency_key.',
  },
  cli: {
    command: 'emails batch',
    positional: ['emails'],
    examples: ['postrider batch sends.json', 'postrider batch - --dry-run < sends.jsonl'],
  },
});
