import { requirement, section } from './requirement.ts';

export const events = section('Events', [
  requirement('events.signed', 'Events are delivered to webhook endpoints as signed requests.'),
  requirement(
    'events.attempts-recorded',
    'Every attempt is recorded with status, error and duration, per event, and can be read through the deliveries listing.',
  ),
  requirement(
    'events.opened',
    'Events in the event log of a message include `opened` (recorded when the tracking image is fetched, only when open tracking is on).',
  ),
  requirement(
    'events.clicked',
    'Events in the event log of a message include `clicked` (recorded when the rewritten link redirect is followed, only when click tracking is on).',
  ),
  requirement('events.bounce-and-complaint', 'Bounce and complaint events exist.'),
  requirement('events.type-names', 'The full list of event type names: not specified.'),
  requirement('events.hard', 'Bounce and complaint events have a classification: `hard` (address does not exist).'),
  requirement('events.soft', 'Bounce and complaint events have a classification: `soft` (temporarily undeliverable).'),
  requirement(
    'events.block',
    'Bounce and complaint events have a classification: `block` (receiver refused on policy or content).',
  ),
  requirement(
    'events.spam',
    'Bounce and complaint events have a classification: `spam` (recipient reported the mail as spam).',
  ),
  requirement(
    'events.unknown',
    'Bounce and complaint events have a classification: `unknown` (the provider gave no reason).',
  ),
  requirement('events.classification-null', 'All other event types have null in that field.'),
  requirement('events.payload', 'Event payload shape: not specified.'),
  requirement(
    'events.payload-fields',
    "Payload `{id,type,createdAt,apiVersion,data:{emailId,seq,recipient,from,to,subject,tags,metadata,channel,source,agentName,classification,detail,occurredAt}}`; `id` is stable over retries and replays (replay's `ids` are these).",
  ),
  requirement(
    'events.payload-other-types',
    "`data` of the other types: the approval's record without bodies, the domain's, suppression's, key's or endpoint's record, and `{limit,used,threshold}`. `edited[]` of an approval contains field names.",
  ),
  requirement(
    'events.webhook-types',
    'Types: `email.` and each event type of a message; `approval.requested approval.decided approval.reminder domain.verified domain.degraded domain.failed suppression.added suppression.removed quota.threshold (80 %, 100 %) key.expiring webhook.disabled webhook.test`.',
  ),
  requirement(
    'events.signature',
    'Signature scheme and header of webhook deliveries (an HMAC is used): not specified.',
  ),
  requirement(
    'events.signature-headers',
    'Standard Webhooks: headers `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64 HMAC-SHA256(id.timestamp.body)>`, secrets `whsec_…`, two signatures for 24 h after `POST /webhooks/:id/rotate`.',
  ),
  requirement('events.retries', 'Retry schedule and the condition that disables an endpoint: not specified.'),
  requirement(
    'events.retry-schedule',
    '2xx within 15 s is a success. Redirects are not followed. Ten attempts in about 75 h: 0, 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h after the previous one, ±20 %, `retry-after` respected.',
  ),
  requirement(
    'events.disabling',
    '`410` disables at once; otherwise 5 days of failures only (≥ 20) disable, with mail to the team and `webhook.disabled`.',
  ),
  requirement('events.test', '`POST /webhooks/:id/test` sends a test event.'),
  requirement(
    'events.replay',
    '`POST /webhooks/:id/replay` re-sends events from a window of at most 7 days and is refused for a disabled endpoint.',
  ),
  requirement('events.classification-field', 'Event payload field for the classification name: not specified.'),
  requirement('events.classification-field-name', '`classification` is null except on bounces and complaints.'),
]);
