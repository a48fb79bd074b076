import { requirement, section } from './requirement.ts';

export const webhooks = section('Webhooks', [
  requirement(
    'webhooks.endpoints',
    '`GET /webhooks`, `POST /webhooks`, `PATCH /webhooks/:id`, `DELETE /webhooks/:id`: webhook endpoints with signed delivery.',
  ),
  requirement('webhooks.test', '`POST /webhooks/:id/test`: send a test event.'),
  requirement(
    'webhooks.simulate',
    '`POST /webhooks/simulate`: a simulator that delivers to a program on the developer’s machine, at `http://localhost:<port>` with HMAC verification.',
  ),
  requirement(
    'webhooks.deliveries',
    '`GET /webhooks/:id/deliveries`: a list of every delivery attempt with status, error and duration per event.',
  ),
  requirement('webhooks.replay', '`POST /webhooks/:id/replay`: replay of events from a window of up to 7 days.'),
  requirement('webhooks.bodies', 'Request and response bodies: not specified.'),
  requirement(
    'webhooks.endpoint-fields',
    'Endpoint: `{id,url,description,events[] ([] = all),status: enabled|disabled,disabledReason,failingSince,createdAt}`; create `{url,description?,events?}`; PATCH also `status`.',
  ),
  requirement(
    'webhooks.endpoint-urls',
    'In production an http URL, a URL with credentials and a private IP address are 422 at creation; a name that resolves to a private address fails at delivery, without a connection.',
  ),
  requirement('webhooks.list-shape', 'A list returns `{webhooks|deliveries: […], total, nextCursor}`.'),
  requirement(
    'webhooks.delivery-fields',
    'Deliveries, filtered by `event_type`, `status`, `event_id`, `since`, `until`: `{id,eventId,eventType,attempt,status: succeeded|failed|pending,statusCode,error,durationMs,responseBody (≤ 4 KB),createdAt,nextAttemptAt}`.',
  ),
  requirement(
    'webhooks.delivery-request',
    '`GET /webhooks/:id/deliveries/:deliveryId`: one attempt with its request `{url,headers,body}`; the signature is never shown, and the body is null once the event is no longer stored.',
  ),
  requirement('webhooks.delivery-retry', '`POST /webhooks/:id/deliveries/:deliveryId/retry` → 202 `{queued:1}`.'),
  requirement(
    'webhooks.replay-fields',
    'Replay `{since,until?,events?,ids?,status?: failed|succeeded,dryRun?}` → 202 `{queued}` (dry run: 200 `{wouldQueue}`); > 7 days 422 `window_too_large`; disabled 409.',
  ),
  requirement('webhooks.test-answer', 'Test → 202 `{eventId}`.'),
  requirement(
    'webhooks.simulate-fields',
    'Simulate `{url: http://localhost:<port>…, event?}`: only loopback; in development mode, the server posts the event; otherwise, it returns the signed request for the CLI or SDK to post → `{ok,delivered,statusCode,durationMs,headers,payload,secret}`.',
  ),
  requirement(
    'webhooks.stream',
    "`GET /webhooks/stream` (server-sent events) feeds the CLI's `webhooks listen`, signed like real deliveries.",
  ),
]);
