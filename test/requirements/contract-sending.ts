import { requirement, section } from './requirement.ts';

export const contractSending = section('contract: Sending', [
  requirement('contract-sending.required', 'Required: `from`, `to`, and one body form: `html` and/or `text`.'),
  requirement(
    'contract-sending.required-template',
    'Required: one body form, which may be `template`. `template` with `html` or `text`, or `variables` without `template`, is 422.',
  ),
  requirement('contract-sending.subject-required', '`subject` is required.'),
  requirement(
    'contract-sending.subject-from-template',
    "`subject` is required unless the template has one. A `subject` in the request replaces the template's.",
  ),
  requirement('contract-sending.text-derived', '`text` is derived from `html` when absent.'),
  requirement('contract-sending.text-empty', '`"text": ""` turns that off.'),
  requirement(
    'contract-sending.recipient-count',
    '1–50 recipients in `to`, `cc` and `bcc` together, after duplicates are removed.',
  ),
  requirement('contract-sending.subject-length', 'Subject ≤ 998 characters.'),
  requirement('contract-sending.header-controls', 'No CR, LF or NUL in any header value.'),
  requirement('contract-sending.body-size', 'html and text ≤ 2 MB each.'),
  requirement('contract-sending.address-forms', 'Addresses accept `a@b.c` and `Name <a@b.c>`.'),
  requirement('contract-sending.internationalised-domains', 'Internationalized domains become A-labels.'),
  requirement(
    'contract-sending.local-part-case',
    'Local parts are sent with their case. Allowlists and suppressions ignore the case.',
  ),
  requirement('contract-sending.local-part-case-filters', 'Filters ignore the case of local parts.'),
  requirement('contract-sending.addresses-read', 'Reads return `from` as it was sent; `cc[]` and `bcc[]` are strings.'),
  requirement('contract-sending.bad-address', 'An invalid address is a schema error.'),
  requirement(
    'contract-sending.verified-domain',
    '`from` must be at exactly a verified domain of the account (a subdomain is a separate domain), otherwise 403 `domain_not_verified`.',
  ),
  requirement(
    'contract-sending.records-to-publish',
    'The `fix` of 403 `domain_not_verified` names the records to publish.',
  ),
  requirement('contract-sending.headers', 'Added: `headers` (map).'),
  requirement(
    'contract-sending.headers-refused',
    'In `headers`, From, To, Cc, Bcc, Sender, Date, Subject, Message-ID, Content-*, MIME-Version, DKIM-Signature, Return-Path, Received and Authentication-Results are refused.',
  ),
  requirement('contract-sending.metadata', 'Added: `metadata` (map of strings, ≤ 20 keys, returned in reads).'),
  requirement('contract-sending.metadata-webhooks', '`metadata` is returned in every webhook.'),
  requirement(
    'contract-sending.unsubscribe',
    'Added: `unsubscribe: true`. It adds RFC 8058 headers with a token for each recipient (such a message is composed separately for each recipient).',
  ),
  requirement(
    'contract-sending.unsubscribe-url',
    '`{{unsubscribe_url}}` in html, text or a template becomes the link of that recipient.',
  ),
  requirement(
    'contract-sending.unsubscribe-untouched',
    'A link equal to one in List-Unsubscribe, or marked `data-unsubscribe`, is not changed by UTM tagging and tracking, byte for byte.',
  ),
  requirement(
    'contract-sending.tags',
    '`tags`: 1–64 characters, without commas, semicolons and control characters. The limit of 10 applies after lowercasing and removing duplicates.',
  ),
  requirement(
    'contract-sending.utm',
    '`utm` needs `source`, `medium`, `campaign`; values 1–255 characters; links in `text` are tagged too.',
  ),
  requirement(
    'contract-sending.tracking',
    'Links in `text` are never rewritten for tracking. Tracking is per message: an event names the recipient only if the message had one recipient.',
  ),
  requirement(
    'contract-sending.template',
    '`template`: a slug or id, optionally pinned: `"welcome"`, `"welcome@3"`. Without a version, the current one is used.',
  ),
  requirement(
    'contract-sending.attachments',
    '`attachments[]`: `{filename, content (base64) | url, content_type?, content_id?}`; `content_id` makes it inline.',
  ),
  requirement('contract-sending.attachment-limits', '≤ 20 files, whole encoded message ≤ 25 MB.'),
  requirement(
    'contract-sending.attachment-url',
    '`url` is https only, fetched before the 202 under the outbound guard.',
  ),
  requirement('contract-sending.attachment-batch', 'Allowed in batches.'),
  requirement('contract-sending.attachment-types', 'Refused types: .exe .bat .cmd .com .scr .js .vbs .msi .lnk .jar.'),
  requirement(
    'contract-sending.scheduled-at',
    '`scheduled_at`: RFC 3339 with an offset, or an ISO 8601 duration (`PT2H`); times without an offset are refused; ≤ 30 days ahead; up to 60 s in the past means now.',
  ),
  requirement(
    'contract-sending.scheduled-status',
    'The status stays `queued` (so cancel works) and reads include `scheduledAt`.',
  ),
  requirement('contract-sending.reschedule', '`PATCH /emails/:id {scheduled_at}` → 200 `{id,status,scheduledAt}`.'),
  requirement('contract-sending.suppression-at-delivery', 'Suppression is checked again at delivery.'),
  requirement(
    'contract-sending.provenance',
    'Provenance: body, then `X-Service-Agent`/`X-Service-Source`, then the default (`agent` over MCP, else `backend`).',
  ),
  requirement(
    'contract-sending.provenance-persona',
    "Provenance: body, then `X-Service-Agent`/`X-Service-Source`, then the key's persona, then the default.",
  ),
  requirement(
    'contract-sending.channel-rest',
    'Over REST, `channel` may be any of the four values and is stored unchanged. The default is `api`.',
  ),
  requirement('contract-sending.channel-clients', 'The SDK and CLI send `sdk`.'),
  requirement('contract-sending.channel-stdio', 'The stdio MCP entry sends `mcp`.'),
  requirement('contract-sending.channel-mcp', '`POST /mcp` sets `mcp` itself.'),
  requirement('contract-sending.channel-smtp', 'SMTP submission sets `smtp` itself.'),
  requirement(
    'contract-sending.persona-locked',
    'With `lockPersona`, a different agent or source is 403 `persona_locked`.',
  ),
  requirement(
    'contract-sending.refused-whole',
    'Acceptance refuses the whole send if any recipient fails. `recipients` of the problem lists each with its reason.',
  ),
]);

export const contractIdempotency = section('contract: Sending, idempotency', [
  requirement('contract-idempotency.single', '`Idempotency-Key` works on every send (single, MCP).'),
  requirement(
    'contract-idempotency.batch',
    '`Idempotency-Key` works on every send (batch). Batch item keys are `<key>:<index>`.',
  ),
  requirement('contract-idempotency.resend', '`Idempotency-Key` works on every send (resend).'),
  requirement('contract-idempotency.smtp', '`Idempotency-Key` works on every send (SMTP).'),
  requirement(
    'contract-idempotency.form',
    '1–255 printable characters, kept for 24 h per API key (in a session: per account and user), so that no key can block or replay another key’s sends.',
  ),
  requirement('contract-idempotency.replayed', 'Same body: the stored response with `idempotency-replayed: true`.'),
  requirement('contract-idempotency.reused', 'A different body: 422 `idempotency_key_reused`.'),
  requirement(
    'contract-idempotency.in-progress',
    'If the first request is still running: 409 `idempotency_in_progress`, `retry-after: 1` (codes as in the IETF draft).',
  ),
  requirement('contract-idempotency.refusals', 'Refusals are not stored.'),
  requirement('contract-idempotency.dry-runs', 'Dry runs are not stored.'),
]);

export const contractDryRun = section('contract: Sending, dry run', [
  requirement(
    'contract-dry-run.answer',
    'Dry run: a body that does not match its schema is 422. Every later rule is a check, and the response is 200 `{dryRun:true, ok, checks:[{name,ok,code?,message?,fix?}], recipients:[{email,kind,ok,code?}], message:{…rendered}, quota:{limit,used,cost}, approvalRequired, reasons[]}`.',
  ),
  requirement('contract-dry-run.every-check', 'It runs every check, also after a failure.'),
  requirement('contract-dry-run.free', 'Nothing is stored or charged.'),
  requirement(
    'contract-dry-run.batch-item',
    'In a batch the item is `{index,ok,dryRun:true,result}`, counted as accepted when `ok`.',
  ),
]);

export const contractBatch = section('contract: Sending, batch', [
  requirement(
    'contract-batch.invalid-item',
    'Batch: an item that fails validation is a refused item `{index, ok:false, error:{…problem}}`, never a refused call. That includes an item that is not an object.',
  ),
  requirement('contract-batch.held-item', 'A held item is `ok:true` with status `pending_approval`.'),
  requirement(
    'contract-batch.whole-call',
    'Only a call without items, with more than 100, or with a body that is not an object is 422 at `emails`. 401, 403 `missing_scope`, 413 and 429 apply to the whole call, too.',
  ),
]);

export const contractResendAndCancel = section('contract: Sending, resend and cancel', [
  requirement(
    'contract-resend-and-cancel.resend',
    "Resend: 202 `{id,status,resendOf}` from any state, under the original key's rules; 409 `issuing_key_revoked`, 401 `key_expired`, 410 `body_expired` (canceled ones too).",
  ),
  requirement(
    'contract-resend-and-cancel.canceled',
    'Cancel (`DELETE` or `POST …/cancel`): 200 `{id,status:"canceled"}`. The message is removed from the outbox, its body is deleted, its quota is returned, and the log keeps it as `canceled`.',
  ),
  requirement('contract-resend-and-cancel.too-late', 'No longer queued: 409 `message_not_queued`.'),
  requirement('contract-resend-and-cancel.withdraws', 'Cancel also withdraws a held message.'),
]);

export const contractQuota = section('contract: Sending, quota', [
  requirement('contract-quota.unit', 'Quota: one unit per unique recipient per send, counted at acceptance.'),
  requirement('contract-quota.exact', 'Quota is exact under concurrency.'),
  requirement('contract-quota.given-back', 'Canceling returns the quota.'),
  requirement('contract-quota.given-back-holds', 'A rejected hold and an expired hold return the quota.'),
  requirement('contract-quota.months', 'The quota applies to UTC months.'),
  requirement('contract-quota.headers', 'Headers `x-quota-limit`, `x-quota-remaining`.'),
  requirement('contract-quota.test-addresses-free', 'Test addresses are free because nothing is sent.'),
  requirement('contract-quota.dry-runs-free', 'Dry runs are free because nothing is sent.'),
  requirement('contract-quota.test-keys-free', 'Test keys are free because nothing is sent.'),
]);

export const contractTestAddresses = section('contract: Sending, test addresses', [
  requirement(
    'contract-test-addresses.label',
    'Test addresses under the sandbox domain, each with an optional `+label`.',
  ),
  requirement('contract-test-addresses.delivered', '`delivered` → sent, delivered.'),
  requirement('contract-test-addresses.deferred', '`deferred` → deferred once, then delivered, without a wait.'),
  requirement('contract-test-addresses.bounced', '`bounced` → bounced, hard.'),
  requirement('contract-test-addresses.soft', '`soft` → bounced, soft.'),
  requirement('contract-test-addresses.blocked', '`blocked` → bounced, block.'),
  requirement('contract-test-addresses.complained', '`complained` → delivered, complained, spam.'),
  requirement(
    'contract-test-addresses.whole-pipeline',
    'The whole pipeline runs, on the channels `api`, `sdk` and `mcp`.',
  ),
  requirement('contract-test-addresses.whole-pipeline-smtp', 'The whole pipeline runs, on the channel `smtp`.'),
  requirement('contract-test-addresses.webhooks', 'The whole pipeline runs, with real webhooks.'),
  requirement('contract-test-addresses.never-suppressed', 'Test addresses are never added to the suppression list.'),
  requirement('contract-test-addresses.every-account', 'Every account may send from and to the sandbox domain.'),
]);
