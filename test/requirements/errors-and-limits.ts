import { requirement, section } from './requirement.ts';

export const errors = section('Errors', [
  requirement(
    'errors.batch',
    'Batch: the call returns `207` even when items are refused; each refused item has `ok` false in `results` at its `index`.',
  ),
  requirement(
    'errors.batch-reasons',
    'Reasons named: suppressed recipient, recipient-allowlist refusal, and the quota check.',
  ),
  requirement(
    'errors.resend',
    'A resend is refused if the issuing key was revoked, or if the body has been removed after its retention period.',
  ),
  requirement('errors.replay', 'Webhook replay is refused for a disabled endpoint.'),
  requirement('errors.cancel', 'Cancel applies only while the message is `queued`.'),
  requirement(
    'errors.request-id',
    'Each response has an `x-request-id` header, which the caller can quote to support.',
  ),
  requirement('errors.body', 'Error response body shape and error codes: not specified.'),
  requirement(
    'errors.status-codes',
    'HTTP status codes for refusals, other than `202` for a send and `207` for a batch: not specified.',
  ),
]);

export const limits = section('Limits', [
  requirement('limits.batch', 'Emails per batch call: 100.'),
  requirement('limits.tags', 'Tags per message: 10.'),
  requirement('limits.agent-name', '`agent_name` length: 128 characters.'),
  requirement('limits.export-rows', 'Export rows: 100,000.'),
  requirement('limits.volume-window', 'Volume window: up to 90 days (default 14 days).'),
  requirement('limits.replay-window', 'Webhook replay window: up to 7 days.'),
  requirement(
    'limits.quota',
    'Quota: every `to`, `cc` and `bcc` recipient counts against the monthly email quota; `reply_to` does not.',
  ),
  requirement('limits.quota-value', 'The quota value: not specified.'),
  requirement('limits.quota-default', 'Quota 100,000 unless set.'),
  requirement('limits.rate-limit', 'A key can have a rate limit. Its value and unit: not specified.'),
  requirement('limits.page-size', 'Page size default and maximum for `limit`: not specified.'),
  requirement('limits.attachments', 'Attachment size and count limits: not specified.'),
  requirement('limits.body-retention', 'The message body retention period: not specified.'),
]);

export const versioning = section('Versioning', [
  requirement(
    'versioning.prefix',
    'One list shows the send path with a `/v1` prefix (`POST /v1/emails`, `GET /v1/emails/:id` and so on); all other lists and examples use paths without a prefix.',
  ),
  requirement('versioning.both-forms', 'Whether both forms are accepted: not specified.'),
  requirement('versioning.templates', 'Templates are versioned resources with rollback support.'),
  requirement('versioning.deprecation', 'Deprecation policy and compatibility guarantees for the API: not specified.'),
]);
