import { requirement, section } from './requirement.ts';

export const emailsSend = section('POST /emails', [
  requirement('emails-send.paths', '`POST /emails` (also written `POST /v1/emails`).'),
  requirement('emails-send.request', 'Request: send request.'),
  requirement('emails-send.accepted', 'Response `202 Accepted`: `{id, status}` with `status` = `queued`.'),
  requirement('emails-send.provenance-body', 'Provenance may be set in the body (`agent_name`, `source`).'),
  requirement(
    'emails-send.provenance-headers',
    'Provenance may be set through headers `X-Service-Agent` and `X-Service-Source`.',
  ),
  requirement(
    'emails-send.provenance-persona',
    'Provenance may be set through default personas configured on the key.',
  ),
  requirement(
    'emails-send.provenance-precedence',
    'Which one applies if several are present (body, headers, default): not specified.',
  ),
  requirement(
    'emails-send.provenance-precedence-persona',
    'Which one applies if several are present, a persona included: not specified.',
  ),
  requirement(
    'emails-send.dry-run',
    'With `dry_run` true the request is validated, rendered and checked against the suppression list, and the response contains what would have been sent without sending.',
  ),
  requirement('emails-send.dry-run-shape', 'Exact response shape of a dry run: not specified.'),
  requirement(
    'emails-send.tracking',
    'Open and click tracking, when on, append a 1x1 image to the HTML and rewrite links.',
  ),
  requirement(
    'emails-send.utm',
    'If `utm` is present, UTM parameters are added into all http and https links before queueing.',
  ),
  requirement(
    'emails-send.utm-untouched',
    'UTM tagging does not change the unsubscribe link (List-Unsubscribe), internal anchors, `mailto` links.',
  ),
  requirement(
    'emails-send.tracking-untouched',
    'Tracking does not change the unsubscribe link (List-Unsubscribe), internal anchors, `mailto` links.',
  ),
  requirement(
    'emails-send.tracking-never-rewritten',
    'With click tracking, the one-click unsubscribe link and any URL containing template variables are never rewritten.',
  ),
  requirement('emails-send.tracking-records', 'Tracking records neither recipient IP address nor user agent.'),
]);

export const emailsBatch = section('POST /emails/batch', [
  requirement('emails-batch.request', 'Request: `{emails: [send request, ...]}`, at most 100 items.'),
  requirement('emails-batch.idempotency-key', 'Optional header `Idempotency-Key`.'),
  requirement(
    'emails-batch.independent',
    'Each item is evaluated independently; a refusal of one item (suppressed recipient, allowlist refusal) never fails the others.',
  ),
  requirement(
    'emails-batch.item-keys',
    "Each item's idempotency key is `<Idempotency-Key>:<index>`, so repeating the whole batch returns the accepted items again and retries the refused ones.",
  ),
  requirement(
    'emails-batch.response',
    'Response: always `207 Multi-Status` with `{accepted, refused, total, results}`.',
  ),
  requirement('emails-batch.provenance', 'Per-item provenance is preserved.'),
  requirement('emails-batch.utm', 'Per-item UTM parameters are preserved.'),
]);

export const emailsCancel = section('DELETE /emails/:id and POST /emails/:id/cancel', [
  requirement('emails-cancel.delete', '`DELETE /emails/:id`: cancel a message that is still `queued`.'),
  requirement('emails-cancel.post', '`POST /emails/:id/cancel`: cancel a message that is still `queued`.'),
]);

export const emailsResend = section('POST /emails/:id/resend', [
  requirement('emails-resend.key', 'Sends again under the key that originally sent it.'),
  requirement('emails-resend.acceptance', 'Runs the acceptance check (suppressions, current quota).'),
  requirement(
    'emails-resend.refused',
    'Refused if the key is revoked, or if the stored body has been removed after its retention period.',
  ),
  requirement('emails-resend.response', 'Response shape: not specified.'),
]);
