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
    'Checks each item separately and always returns 207 with one result per item, in order. An item that is refused or not valid has `ok` false and its problem in `error`; the other items are not affected. With `Idempotency-Key`, each item has the key `<key>:<index>`, so repeating the call replays the accepted items and retries the others. The provenance headers apply to every item that does not set its own. An item with `dry_run` is checked and not sent.',
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
    'idempotency-replayed': '`true` if at least one item was accepted earlier under its idempotency key.',
  },
  errors: [],
  mcp: {
    tool: 'send_email_batch',
    toolset: null,
    title: 'Send several emails',
    description:
      'Sends 1 to 100 different emails in one call; each is checked separately. Returns one result per item: id and status, or the error. To retry, send only the refused items, or the whole call with the same idempotency_key. Not for one email to several recipients: use send_email.',
  },
  cli: {
    command: 'emails batch',
    description:
      'Sends up to 100 emails from a file. The server checks each item separately: the command prints one result per item, in order, and exits with code 6 if any item is refused. With --idempotency-key, repeating the command sends only the items that were not accepted before.',
    positional: ['emails'],
    examples: ['postrider batch sends.json', 'postrider batch - --dry-run < sends.jsonl'],
  },
});
