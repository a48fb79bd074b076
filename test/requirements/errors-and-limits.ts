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
  requirement('errors.resend', 'Resend is refused when the issuing key was revoked or the body has aged out.'),
  requirement('errors.replay', 'Webhook replay is refused for a disabled endpoint.'),
  requirement('errors.cancel', 'Cancel applies only while the message is `queued`.'),
  requirement(
    'errors.request-id',
    'Each request carries an `x-request-id` header in the response that can be quoted to support.',
  ),
  requirement('errors.body', 'Error response body shape and error codes: not shown.'),
  requirement(
    'errors.status-codes',
    'HTTP status codes for refusals, other than `202` for a send and `207` for a batch: not shown.',
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
  requirement('limits.quota-value', 'The quota value: not shown.'),
  requirement('limits.quota-default', 'Quota 100,000 unless set.'),
  requirement('limits.rate-limit', 'A key can carry a rate limit. Its value and unit: not shown.'),
  requirement('limits.page-size', 'Page size default and maximum for `limit`: not shown.'),
  requirement('limits.attachments', 'Attachment size and count limits: not shown.'),
  requirement('limits.body-retention', 'The message body retention period: not shown.'),
]);

export const versioning = section('Versioning', [
  requirement(
    'versioning.prefix',
    'One listing writes the send path with a `/v1` prefix (`POST /v1/emails`, `GET /v1/emails/:id` and so on); all other listings and examples use unprefixed paths.',
  ),
  requirement('versioning.both-forms', 'Whether both forms are accepted: not shown.'),
  requirement('versioning.templates', 'Templates are versioned resources with rollback support.'),
  requirement('versioning.deprecation', 'Deprecation policy and compatibility guarantees for the API: not shown.'),
]);
