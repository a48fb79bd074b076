import { deferred, section } from './requirement.ts';

export const webhooks = section('Webhooks', [
  deferred(
    'webhooks',
    'webhooks.endpoints',
    '`GET /webhooks`, `POST /webhooks`, `PATCH /webhooks/:id`, `DELETE /webhooks/:id`: webhook endpoints with signed delivery.',
  ),
  deferred('webhooks', 'webhooks.test', '`POST /webhooks/:id/test`: test send.'),
  deferred(
    'webhooks',
    'webhooks.simulate',
    '`POST /webhooks/simulate`: a simulator delivering to a local developer address of the form `http://localhost:<port>` with HMAC verification.',
  ),
  deferred(
    'webhooks',
    'webhooks.deliveries',
    '`GET /webhooks/:id/deliveries`: a list of every delivery attempt with status, error and duration per event.',
  ),
  deferred(
    'webhooks',
    'webhooks.replay',
    '`POST /webhooks/:id/replay`: replay of events from a window of up to 7 days.',
  ),
  deferred('webhooks', 'webhooks.bodies', 'Request and response bodies: not shown.'),
  deferred(
    'webhooks',
    'webhooks.endpoint-fields',
    'Endpoint: `{id,url,description,events[] ([] = all),status: enabled|disabled,disabledReason,failingSince,createdAt}`; create `{url,description?,events?}`; PATCH also `status`.',
  ),
  deferred(
    'webhooks',
    'webhooks.endpoint-urls',
    'In production an http URL, credentials in it or an inside IP literal are 422 at creation; a name that resolves inside fails at delivery, unconnected.',
  ),
  deferred('webhooks', 'webhooks.list-shape', 'Answers are `{webhooks|deliveries: […], total, nextCursor}`.'),
  deferred(
    'webhooks',
    'webhooks.delivery-fields',
    'Deliveries, filtered by `event_type`, `status`, `event_id`, `since`, `until`: `{id,eventId,eventType,attempt,status: succeeded|failed|pending,statusCode,error,durationMs,responseBody (≤ 4 KB),createdAt,nextAttemptAt}`.',
  ),
  deferred(
    'webhooks',
    'webhooks.delivery-retry',
    '`POST /webhooks/:id/deliveries/:deliveryId/retry` → 202 `{queued:1}`.',
  ),
  deferred(
    'webhooks',
    'webhooks.replay-fields',
    'Replay `{since,until?,events?,ids?,status?: failed|succeeded,dryRun?}` → 202 `{queued}` (dry run: 200 `{wouldQueue}`); > 7 days 422 `window_too_large`; disabled 409.',
  ),
  deferred('webhooks', 'webhooks.test-answer', 'Test → 202 `{eventId}`.'),
  deferred(
    'webhooks',
    'webhooks.simulate-fields',
    'Simulate `{url: http://localhost:<port>…, event?}`: only loopback; a server in development mode delivers it itself, any other returns the signed request for the CLI or SDK to post → `{ok,delivered,statusCode,durationMs,headers,payload,secret}`.',
  ),
  deferred(
    'webhooks',
    'webhooks.stream',
    "`GET /webhooks/stream` (server-sent events) feeds the CLI's `webhooks listen`, signed like the real ones.",
  ),
]);
