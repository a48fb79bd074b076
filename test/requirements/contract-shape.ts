import { requirement, section } from './requirement.ts';

export const contractShape = section('contract: Shape of the whole', [
  requirement(
    'contract-shape.casing',
    'Two casings: the send request and query strings are `snake_case`; every other resource is `camelCase`.',
  ),
  requirement('contract-shape.casing-export', 'Two casings: export rows are `snake_case`.'),
  requirement(
    'contract-shape.absent-is-null',
    'Outputs always have the same fields. Absent values are `null`, never omitted, except where the specification says absent.',
  ),
  requirement('contract-shape.v1', 'The same handler serves every path without a prefix and under `/v1`.'),
  requirement('contract-shape.openapi-unprefixed', 'The OpenAPI document contains the paths without a prefix.'),
  requirement('contract-shape.ids', 'Ids are UUIDv7, so id order is time order.'),
  requirement('contract-shape.times', 'Times are ISO 8601 UTC with milliseconds.'),
  requirement('contract-shape.query-booleans', 'Booleans in query strings are `true`/`false`.'),
  requirement(
    'contract-shape.unknown-field',
    'An unknown field in a body is 422, and the error names it. Nothing that a caller asked for is dropped silently.',
  ),
  requirement(
    'contract-shape.query-parameters',
    'An unknown or repeated query parameter is 422, and the error names it.',
  ),
  requirement('contract-shape.repeated-tag', 'A repeated query parameter is 422, except `tag`.'),
  requirement('contract-shape.read-answer', 'Read → 200 with the record.'),
  requirement(
    'contract-shape.write-answers',
    'Create → 201 with the record; PATCH → 200 with the record; DELETE → 200 with the record in its last state.',
  ),
  requirement('contract-shape.key-shown-once', 'Secrets are shown once: `key` on `POST /keys` and its rotation.'),
  requirement(
    'contract-shape.webhook-secret-shown-once',
    'Secrets are shown once: `secret` on webhook create and rotation.',
  ),
  requirement('contract-shape.request-id', 'Every response has `x-request-id`.'),
  requirement(
    'contract-shape.request-id-kept',
    "A caller's own `x-request-id` is kept if it has 1–128 letters, digits, `.`, `_` or `-`. Otherwise it is replaced.",
  ),
  requirement(
    'contract-shape.request-log',
    'Every authenticated request is logged with its request id: `GET /requests`, `GET /requests/:id` → `{id,method,path,status,code,durationMs,keyId,emailId,createdAt}`.',
  ),
  requirement(
    'contract-shape.request-log-filters',
    '`GET /requests` filters by `status` (`404` or `4xx`), `method`, `path`, `code`, `key_id`, `email_id`, `from` and `to`, among the newest 50,000 requests of the time span.',
  ),
  requirement('contract-shape.request-log-retention', 'The request log is kept for 30 days.'),
  requirement('contract-shape.limit', 'Lists: `limit` is 1–100, by default 50, otherwise 422.'),
  requirement(
    'contract-shape.cursor',
    '`cursor` is opaque and bound to its filters (a broken one, or one of other filters, is 422 `invalid_cursor`).',
  ),
  requirement(
    'contract-shape.list-answer',
    'A list returns `{messages|requests: […], total, nextCursor}`; `nextCursor` is null at the end.',
  ),
  requirement(
    'contract-shape.total-estimate',
    'Beyond 10,000 matches, `total` may be an estimate. Then `totalIsEstimate` is true.',
  ),
  requirement('contract-shape.total-later-page', '`total` is never missing, and never 0 on a later page.'),
]);
