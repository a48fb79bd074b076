import type { ErrorCode } from './errors.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Operation } from './operation.ts';

interface HeaderDefinition {
  readonly description: string;
  readonly type?: 'string' | 'integer';
  readonly const?: string;
}

/** Response headers that follow from an operation's declaration; an operation lists others in `responseHeaders`. */
const HEADERS = {
  'x-request-id': {
    description: 'The id of this request: your own `x-request-id` if it is valid, otherwise a new one.',
  },
  'x-content-type-options': { description: 'Browsers must not guess another content type.', const: 'nosniff' },
  'cache-control': { description: 'Whether a cache may keep the response; `no-store` unless the operation says more.' },
  'ratelimit-policy': {
    description:
      'The rate limit of the key or session, as in draft-ietf-httpapi-ratelimit-headers: `q` requests in `w` seconds. Present once the request was counted.',
  },
  ratelimit: { description: 'What is left of the limit: `r` requests now, and all of them again in `t` seconds.' },
  'www-authenticate': { description: 'The scheme to authenticate with: `Bearer`.' },
  'retry-after': { description: 'Seconds to wait before the request is repeated.', type: 'integer' },
  vary: { description: 'The response depends on the `Accept` header.', const: 'Accept' },
  deprecation: { description: 'When the operation was deprecated (RFC 9745).' },
  sunset: { description: 'When the operation may be removed (RFC 8594).' },
  link: { description: 'Where to read what to use instead, with the relation `deprecation`.' },
} as const satisfies Readonly<Record<string, HeaderDefinition>>;

type HeaderName = keyof typeof HEADERS;

const EVERYWHERE = ['x-request-id', 'x-content-type-options', 'cache-control'] as const;

/** Codes whose responses may have `retry-after`. */
const RETRY_AFTER: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'authorization_pending',
  'slow_down',
  'idempotency_in_progress',
  'rate_limited',
  'send_limit_reached',
  'too_many_held',
  'unavailable',
]);

/** The document's `components.headers`. Only referenced headers are included, because linters report the others. */
export function headerComponents(rest: unknown): JsonSchema {
  const text = JSON.stringify(rest);
  return Object.fromEntries(
    Object.entries<HeaderDefinition>(HEADERS)
      .filter(([name]) => text.includes(`"#/components/headers/${name}"`))
      .map(([name, { description, type = 'string', ...rest }]) => [name, { description, schema: { type, ...rest } }]),
  );
}

/** The headers of a success, or of another response that is not a problem. */
export function successHeaders(operation: Operation, own: Readonly<Record<string, string>> = {}): JsonSchema {
  const written = Object.entries({ ...operation.responseHeaders, ...own }).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return {
    ...refer([...basicHeaders(operation), ...(operation.asText === undefined ? [] : (['vary'] as const))]),
    ...Object.fromEntries(written),
  };
}

/** The headers of a response that carries a problem with one of these codes. */
export function problemHeaders(operation: Operation, status: number, codes: readonly ErrorCode[]): JsonSchema {
  return refer([
    ...basicHeaders(operation),
    ...(status === 401 ? (['www-authenticate'] as const) : []),
    ...(codes.some((code) => RETRY_AFTER.has(code)) ? (['retry-after'] as const) : []),
  ]);
}

function basicHeaders({ access, deprecated }: Operation): readonly HeaderName[] {
  return [
    ...EVERYWHERE,
    ...(access.kind === 'public' ? [] : (['ratelimit-policy', 'ratelimit'] as const)),
    ...(deprecated === undefined ? [] : (['deprecation', 'link'] as const)),
    ...(deprecated?.sunset ? (['sunset'] as const) : []),
  ];
}

function refer(names: readonly HeaderName[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
