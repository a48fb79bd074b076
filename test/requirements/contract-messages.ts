import { requirement, section } from './requirement.ts';

export const contractMessages = section('contract: Messages', [
  requirement(
    'contract-messages.statuses',
    'Statuses: `queued` → `sending` → `sent` → `delivered`; `deferred` (will retry), `bounced`, `failed`.',
  ),
  requirement('contract-messages.status-complained', 'Statuses: `complained`.'),
  requirement('contract-messages.status-suppressed', 'Statuses: `suppressed` (caught at delivery).'),
  requirement(
    'contract-messages.statuses-holds',
    'Statuses: `pending_approval`, `rejected`, `expired` (no one decided the hold).',
  ),
  requirement('contract-messages.status-canceled', 'Statuses: `canceled`.'),
  requirement('contract-messages.opens-and-clicks', 'Opens and clicks are events, never statuses.'),
  requirement(
    'contract-messages.sent',
    '`sent`: the provider accepted the message and has not reported more. With `capture`, the status continues to `delivered`.',
  ),
  requirement('contract-messages.sent-direct', 'With `direct`, the status continues to `delivered`.'),
  requirement('contract-messages.retries-run-out', 'A message whose retries run out is `bounced`, classified `soft`.'),
  requirement(
    'contract-messages.late-events',
    'A late event never lowers a final status; a bounce or a complaint may follow `delivered`.',
  ),
  requirement(
    'contract-messages.worst-recipient',
    'The message shows the first of these that any recipient has: sending, queued, deferred, complained, bounced, failed, suppressed, sent, delivered.',
  ),
  requirement(
    'contract-messages.never-stuck',
    'No message stays `queued` or `sending` forever: a stuck one is retried, or fails with a reason in `lastError`.',
  ),
  requirement(
    'contract-messages.trail',
    'Event log: `events:[{id,seq,type,createdAt,recipient,classification,detail}]`.',
  ),
  requirement(
    'contract-messages.trail-types',
    'Event types: `queued` `sent` `delivered` `deferred` `bounced` `complained` `failed`.',
  ),
  requirement(
    'contract-messages.trail-types-approvals',
    'Event types: `pending_approval` `approved` `rejected` `expired`.',
  ),
  requirement('contract-messages.trail-types-scheduling', 'Event types: `scheduled` `rescheduled`.'),
  requirement('contract-messages.trail-types-tracking', 'Event types: `opened` `clicked`.'),
  requirement('contract-messages.trail-type-suppressed', 'Event types: `suppressed`.'),
  requirement('contract-messages.trail-type-canceled', 'Event types: `canceled`.'),
  requirement('contract-messages.trail-type-unsubscribed', 'Event types: `unsubscribed`.'),
  requirement(
    'contract-messages.single-read',
    'The single read adds to the record `html text headers cc[] bcc[] replyTo recipients:[{email,kind,status}] metadata lastError events`.',
  ),
  requirement(
    'contract-messages.single-read-attachments',
    'The single read adds `attachments:[{filename,contentType,size}]`.',
  ),
  requirement('contract-messages.single-read-scheduled-at', 'The single read adds `scheduledAt`.'),
  requirement('contract-messages.single-read-template', 'The single read adds `template`.'),
  requirement('contract-messages.single-read-resend-of', 'The single read adds `resendOf`.'),
  requirement('contract-messages.single-read-body-expiry', 'The single read adds `bodyExpiresAt bodyExpired`.'),
  requirement('contract-messages.to', '`to` is the addresses joined by `, ` in list and read alike.'),
  requirement('contract-messages.rendered-body', '`html` and `text` are the rendered body.'),
  requirement('contract-messages.rendered-body-utm', '`html` and `text` are the rendered body after UTM tagging.'),
  requirement(
    'contract-messages.rendered-body-tracking',
    '`html` and `text` are the rendered body before tracking, so that reading counts as no open.',
  ),
  requirement(
    'contract-messages.redacted',
    '`emails:content` shows the content of the messages that this key issued, `emails:content-all` of all. Without it `html`, `text`, `headers` and `attachments` are null and `contentRedacted` is true.',
  ),
  requirement(
    'contract-messages.wait',
    '`?wait=30` (seconds, 1–60, otherwise 422) returns as soon as the message is final (delivered, bounced, complained, failed) or `sent`.',
  ),
  requirement('contract-messages.wait-suppressed', '`?wait=30` returns as soon as the message is final (suppressed).'),
  requirement(
    'contract-messages.wait-holds',
    '`?wait=30` returns as soon as the message is final (rejected, expired).',
  ),
  requirement('contract-messages.wait-canceled', '`?wait=30` returns as soon as the message is final (canceled).'),
  requirement('contract-messages.wait-time-out', 'At the timeout, it returns the current state.'),
]);

export const contractMessageLog = section('contract: Messages, filters, export and retention', [
  requirement(
    'contract-message-log.filters',
    'Filters in addition to the named ones: `recipient`, `domain` (the sending domain), `from` (inclusive) and `to` (exclusive) as ISO bounds on `createdAt`, in lists.',
  ),
  requirement('contract-message-log.filters-export', 'The same filters in exports.'),
  requirement(
    'contract-message-log.q',
    '`q`: a case-insensitive substring of any recipient or the subject, 2–200 characters.',
  ),
  requirement(
    'contract-message-log.export-formats',
    "Export: default `csv`; `json` is an array (`application/json; charset=utf-8`), `jsonl` is `application/x-ndjson`; all three use the CSV's names; tags joined by `;` in CSV and arrays in JSON.",
  ),
  requirement(
    'contract-message-log.export-file-name',
    'File name `<account name as a slug>-messages-<YYYY-MM-DD>.<format>`.',
  ),
  requirement('contract-message-log.export-truncated', '`x-export-truncated: true` past 100,000 rows.'),
  requirement('contract-message-log.export-formulas', 'Cells that a spreadsheet would run as a formula are escaped.'),
  requirement(
    'contract-message-log.retention',
    'Retention: bodies 30 days, the log 400 days, never a message that is not final.',
  ),
  requirement('contract-message-log.retention-attachments', 'Retention: attachments 30 days.'),
  requirement('contract-message-log.retention-settings', 'Retention: 30 and 400 days are settings.'),
]);
