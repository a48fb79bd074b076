import { active, section } from './requirement.ts';

export const errors = section('Errors', [
  active(
    'errors.batch',
    'Batch: the call returns `207` even when items are refused; each refused item has `ok` false in `results` at its `index`.',
  ),
  active(
    'errors.batch-reasons',
    'Reasons named: suppressed recipient, recipient-allowlist refusal, and the quota check.',
  ),
  active('errors.resend', 'Resend is refused when the issuing key was revoked or the body has aged out.'),
  active('errors.replay', 'Webhook replay is refused for a disabled endpoint.'),
  active('errors.cancel', 'Cancel applies only while the message is `queued`.'),
  active(
    'errors.request-id',
    'Each request carries an `x-request-id` header in the response that can be quoted to support.',
  ),
  active('errors.body', 'Error response body shape and error codes: not shown.'),
  active(
    'errors.status-codes',
    'HTTP status codes for refusals, other than `202` for a send and `207` for a batch: not shown.',
  ),
]);

export const limits = section('Limits', [
  active('limits.batch', 'Emails per batch call: 100.'),
  active('limits.tags', 'Tags per message: 10.'),
  active('limits.agent-name', '`agent_name` length: 128 characters.'),
  active('limits.export-rows', 'Export rows: 100,000.'),
  active('limits.volume-window', 'Volume window: up to 90 days (default 14 days).'),
  active('limits.replay-window', 'Webhook replay window: up to 7 days.'),
  active(
    'limits.quota',
    'Quota: every `to`, `cc` and `bcc` recipient counts against the monthly email quota; `reply_to` does not.',
  ),
  active('limits.quota-value', 'The quota value: not shown.'),
  active('limits.quota-default', 'Quota 100,000 unless set.'),
  active('limits.rate-limit', 'A key can carry a rate limit. Its value and unit: not shown.'),
  active('limits.page-size', 'Page size default and maximum for `limit`: not shown.'),
  active('limits.attachments', 'Attachment size and count limits: not shown.'),
  active('limits.body-retention', 'The message body retention period: not shown.'),
]);

export const versioning = section('Versioning', [
  active(
    'versioning.prefix',
    'One listing writes the send path with a `/v1` prefix (`POST /v1/emails`, `GET /v1/emails/:id` and so on); all other listings and examples use unprefixed paths.',
  ),
  active('versioning.both-forms', 'Whether both forms are accepted: not shown.'),
  active('versioning.templates', 'Templates are versioned resources with rollback support.'),
  active('versioning.deprecation', 'Deprecation policy and compatibility guarantees for the API: not shown.'),
]);
