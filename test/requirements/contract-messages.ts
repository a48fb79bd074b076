import { active, section } from './requirement.ts';

export const contractMessages = section('contract: Messages', [
  active(
    'contract-messages.statuses',
    'Statuses: `queued` → `sending` → `sent` → `delivered`; `deferred` (will retry), `bounced`, `failed`.',
  ),
  active('contract-messages.status-complained', 'Statuses: `complained`.'),
  active('contract-messages.status-suppressed', 'Statuses: `suppressed` (caught at delivery).'),
  active(
    'contract-messages.statuses-holds',
    'Statuses: `pending_approval`, `rejected`, `expired` (a hold nobody decided).',
  ),
  active('contract-messages.status-canceled', 'Statuses: `canceled`.'),
  active('contract-messages.opens-and-clicks', 'Opens and clicks are events, never statuses.'),
  active(
    'contract-messages.sent',
    '`sent`: the provider took it and has not said more; `capture` goes on to `delivered`.',
  ),
  active('contract-messages.sent-direct', '`direct` goes on to `delivered`.'),
  active('contract-messages.retries-run-out', 'Retries that run out are `bounced`, `soft`.'),
  active(
    'contract-messages.late-events',
    'A late event never lowers a final status; a bounce or a complaint may follow `delivered`.',
  ),
  active(
    'contract-messages.worst-recipient',
    'The message shows the first of these that any recipient has: sending, queued, deferred, complained, bounced, failed, suppressed, sent, delivered.',
  ),
  active(
    'contract-messages.never-stuck',
    'No message stays `queued` or `sending` for ever: a stuck one is retried or fails with a reason in `lastError`.',
  ),
  active('contract-messages.trail', 'Trail: `events:[{id,seq,type,createdAt,recipient,classification,detail}]`.'),
  active(
    'contract-messages.trail-types',
    'Trail types: `queued` `sent` `delivered` `deferred` `bounced` `complained` `failed`.',
  ),
  active('contract-messages.trail-types-approvals', 'Trail types: `pending_approval` `approved` `rejected` `expired`.'),
  active('contract-messages.trail-types-scheduling', 'Trail types: `scheduled` `rescheduled`.'),
  active('contract-messages.trail-types-tracking', 'Trail types: `opened` `clicked`.'),
  active('contract-messages.trail-type-suppressed', 'Trail types: `suppressed`.'),
  active('contract-messages.trail-type-canceled', 'Trail types: `canceled`.'),
  active('contract-messages.trail-type-unsubscribed', 'Trail types: `unsubscribed`.'),
  active(
    'contract-messages.single-read',
    'The single read adds to the record `html text headers cc[] bcc[] replyTo recipients:[{email,kind,status}] metadata lastError events`.',
  ),
  active(
    'contract-messages.single-read-attachments',
    'The single read adds `attachments:[{filename,contentType,size}]`.',
  ),
  active('contract-messages.single-read-scheduled-at', 'The single read adds `scheduledAt`.'),
  active('contract-messages.single-read-template', 'The single read adds `template`.'),
  active('contract-messages.single-read-resend-of', 'The single read adds `resendOf`.'),
  active('contract-messages.single-read-body-expiry', 'The single read adds `bodyExpiresAt bodyExpired`.'),
  active('contract-messages.to', '`to` is the addresses joined by `, ` in list and read alike.'),
  active('contract-messages.rendered-body', '`html` and `text` are the rendered body.'),
  active('contract-messages.rendered-body-utm', '`html` and `text` are the rendered body after UTM tagging.'),
  active(
    'contract-messages.rendered-body-tracking',
    '`html` and `text` are the rendered body before tracking, so that reading counts as no open.',
  ),
  active(
    'contract-messages.redacted',
    '`emails:content` shows the content of the messages that this key issued, `emails:content-all` of all. Without it `html`, `text`, `headers` and `attachments` are null and `contentRedacted` is true.',
  ),
  active(
    'contract-messages.wait',
    '`?wait=30` (seconds, 1–60, else 422) answers as soon as the message is final (delivered, bounced, complained, failed) or `sent`.',
  ),
  active('contract-messages.wait-suppressed', '`?wait=30` answers as soon as the message is final (suppressed).'),
  active('contract-messages.wait-holds', '`?wait=30` answers as soon as the message is final (rejected, expired).'),
  active('contract-messages.wait-canceled', '`?wait=30` answers as soon as the message is final (canceled).'),
  active('contract-messages.wait-time-out', 'At the time-out it answers the present state.'),
]);

export const contractMessageLog = section('contract: Messages, filters, export and retention', [
  active(
    'contract-message-log.filters',
    'Filters beside the named ones: `recipient`, `domain` (the sending domain), `from` (inclusive) and `to` (exclusive) as ISO bounds on `createdAt`, in lists.',
  ),
  active('contract-message-log.filters-export', 'The same filters in exports.'),
  active(
    'contract-message-log.q',
    '`q`: a case-insensitive substring of any recipient or the subject, 2–200 characters.',
  ),
  active(
    'contract-message-log.export-formats',
    "Export: default `csv`; `json` is an array (`application/json; charset=utf-8`), `jsonl` is `application/x-ndjson`; all three use the CSV's names; tags joined by `;` in CSV and arrays in JSON.",
  ),
  active(
    'contract-message-log.export-file-name',
    'File name `<account name as a slug>-messages-<YYYY-MM-DD>.<format>`.',
  ),
  active('contract-message-log.export-truncated', '`x-export-truncated: true` past 100,000 rows.'),
  active('contract-message-log.export-formulas', 'Cells that a spreadsheet would run as a formula are defused.'),
  active(
    'contract-message-log.retention',
    'Retention: bodies 30 days, the log 400 days, never a message that is not final.',
  ),
  active('contract-message-log.retention-attachments', 'Retention: attachments 30 days.'),
  active('contract-message-log.retention-settings', 'Retention: 30 and 400 days are settings.'),
]);
