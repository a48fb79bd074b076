import { requirement, section } from './requirement.ts';

export const contractShape = section('contract: Shape of the whole', [
  requirement(
    'contract-shape.casing',
    'Two casings: the send request and query strings are `snake_case`; every other resource is `camelCase`.',
  ),
  requirement('contract-shape.casing-export', 'Two casings: export rows are `snake_case`.'),
  requirement(
    'contract-shape.absent-is-null',
    'Outputs never vary; absent values are `null`, never left out (save where the specification says absent).',
  ),
  requirement('contract-shape.v1', 'Every path is served unprefixed and under `/v1` by the same handler.'),
  requirement('contract-shape.openapi-unprefixed', 'OpenAPI publishes the unprefixed form.'),
  requirement('contract-shape.ids', 'Ids are UUIDv7, so id order is time order.'),
  requirement('contract-shape.times', 'Times are ISO 8601 UTC with milliseconds.'),
  requirement('contract-shape.query-booleans', 'Booleans in query strings are `true`/`false`.'),
  requirement(
    'contract-shape.unknown-field',
    'An unknown field in a body is 422 and named: nothing a caller asked for is dropped in silence.',
  ),
  requirement('contract-shape.query-parameters', 'An unknown or repeated query parameter is 422 and named.'),
  requirement('contract-shape.repeated-tag', 'A repeated query parameter is 422, save `tag`.'),
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
  requirement('contract-shape.request-id', 'Every answer carries `x-request-id`.'),
  requirement(
    'contract-shape.request-id-kept',
    "A caller's own `x-request-id` is kept if it is 1–128 of letters, digits, `.`, `_`, `-`; else replaced.",
  ),
  requirement(
    'contract-shape.request-log',
    'Every authenticated request is logged with its request id: `GET /requests`, `GET /requests/:id` → `{id,method,path,status,code,durationMs,keyId,emailId,createdAt}`.',
  ),
  requirement('contract-shape.request-log-retention', 'Every authenticated request is logged: 30 days.'),
  requirement('contract-shape.limit', 'Lists: `limit` 1–100, default 50, else 422.'),
  requirement(
    'contract-shape.cursor',
    '`cursor` is opaque and bound to its filters (a foreign or broken one is 422 `invalid_cursor`).',
  ),
  requirement(
    'contract-shape.list-answer',
    'Answers are `{messages|requests: […], total, nextCursor}`; `nextCursor` is null at the end.',
  ),
  requirement(
    'contract-shape.total-estimate',
    'Past 10,000 matches `total` may be an estimate and then `totalIsEstimate` is true.',
  ),
  requirement('contract-shape.total-later-page', '`total` is never missing and never 0 on a later page.'),
]);
