import { PostriderError, type WebhookErrorCode } from '../errors.ts';
import { hmacSha256, joinBytes } from './sha256.ts';
import type { WebhookEvent } from './webhook-event.ts';
import { readSignatureHeaders, type WebhookHeaders } from './webhook-headers.ts';

export interface VerifyWebhookOptions {
  /** Seconds the timestamp may be off this machine's clock, either way. Default 300. */
  readonly toleranceSeconds?: number | undefined;
  /** The current time. Default: the machine's clock. */
  readonly now?: Date | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
const SIGNATURE_VERSION = 'v1';

/**
 * Checks that a webhook request was signed recently with the endpoint's secret, and returns its event. Synchronous: there is no promise
 * to forget. Runs on every platform with `Uint8Array` and `TextEncoder`.
 * @param body the request's body exactly as received, as text or bytes: parsing and serializing it again can break the signature
 * @param headers the request's headers, of which `webhook-id`, `webhook-timestamp` and `webhook-signature` are used
 * @param secret the endpoint's secret (`whsec_…`), or several, of which one has to match
 * @throws PostriderError with `webhook_header_missing`, `webhook_timestamp_invalid`, `webhook_timestamp_outside_tolerance`,
 * `webhook_signature_mismatch` or `webhook_body_invalid`: respond to such a request with 400. TypeError or RangeError for invalid arguments.
 */
export function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() }: VerifyWebhookOptions = {},
): WebhookEvent {
  const bytes = toBytes(body);
  const keys = toKeys(secret);
  if (!(toleranceSeconds >= 0)) throw new RangeError('toleranceSeconds must be a number of at least 0');
  const { id, timestamp, signature } = readSignatureHeaders(headers);
  if (id === null) throw missing('webhook-id');
  if (timestamp === null) throw missing('webhook-timestamp');
  if (signature === null) throw missing('webhook-signature');
  assertRecent(timestamp, toleranceSeconds, now);
  const signed = joinBytes([new TextEncoder().encode(`${id}.${timestamp}.`), bytes]);
  if (!isSignedBy(keys, signed, signature)) throw refusal('webhook_signature_mismatch', ...MISMATCH);
  return parseEvent(bytes);
}

const MISMATCH = [
  'No signature of the request was made with this secret over this body.',
  'Pass the body exactly as received, before any JSON parser, and the secret of this endpoint.',
] as const;

function assertRecent(timestamp: string, toleranceSeconds: number, now: Date): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    const detail = 'The header webhook-timestamp is not a time in seconds.';
    throw refusal('webhook_timestamp_invalid', detail, 'Pass the header exactly as received.');
  }
  const ageSeconds = Math.floor(now.getTime() / 1_000) - Number(timestamp);
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const age = ageSeconds > 0 ? `${ageSeconds} s old` : `${-ageSeconds} s ahead`;
  const detail = `The request’s timestamp is ${age}, and ${toleranceSeconds} s are allowed.`;
  throw refusal(
    'webhook_timestamp_outside_tolerance',
    detail,
    'Check this machine’s clock; a true event is sent again.',
  );
}

/** Compares every signature with every key in full, so that the duration does not reveal how close a forgery is. */
function isSignedBy(keys: readonly Uint8Array[], signed: Uint8Array, header: string): boolean {
  const given = header.split(' ').flatMap((part) => {
    const [version, value, ...rest] = part.split(',');
    const bytes = version === SIGNATURE_VERSION && rest.length === 0 ? fromBase64(value ?? '') : null;
    return bytes === null ? [] : [bytes];
  });
  let matches = 0;
  for (const key of keys) {
    const expected = hmacSha256(key, signed);
    for (const candidate of given) if (isEqual(expected, candidate)) matches += 1;
  }
  return matches > 0;
}

function isEqual(expected: Uint8Array, candidate: Uint8Array): boolean {
  let difference = expected.length ^ candidate.length;
  for (const [index, byte] of expected.entries()) difference |= byte ^ (candidate[index] ?? 0);
  return difference === 0;
}

/** A signed body is what the server wrote, with the contract's types. An event of a later server can have a type this version does not know. */
function parseEvent(bytes: Uint8Array): WebhookEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    value = null;
  }
  if (typeof value === 'object' && value !== null && 'type' in value && 'data' in value) return value as WebhookEvent; // See above.
  throw refusal(
    'webhook_body_invalid',
    'The body is signed, but it is no event.',
    'Check which program has the secret.',
  );
}

function toBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('body must be the raw body of the request, as text or bytes, and not what a parser made of it');
}

function toKeys(secret: string | readonly string[]): readonly Uint8Array[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (!Array.isArray(secrets) || secrets.length === 0) throw new TypeError('secret must be the endpoint’s secret');
  return secrets.map((each: unknown) => {
    const key = typeof each === 'string' ? fromBase64(each.replace(SECRET_PREFIX, '')) : null;
    if (key === null || key.length === 0) throw new TypeError('secret must be a webhook secret: whsec_ and base64');
    return key;
  });
}

/** Null if the text is not base64. */
function fromBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function missing(name: string): PostriderError {
  const fix = 'Pass the headers of the request as received. A request without them is not from Postrider.';
  return refusal('webhook_header_missing', `The header ${name} is missing.`, fix);
}

function refusal(code: WebhookErrorCode, detail: string, fix: string): PostriderError {
  return new PostriderError({
    code,
    detail,
    fix,
    status: null,
    retryable: false,
    requestId: null,
    errors: [],
    recipients: [],
    retryAfterMs: null,
    rateLimit: null,
    idempotencyKey: null,
    body: null,
  });
}
