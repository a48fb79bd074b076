import { LIMITS } from '@postrider/core';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { OutboundResult } from '../outbound/outbound-result.ts';
import { readRetryAfter } from './retry-time.ts';
import type { SignatureHeaders } from './sign-webhook.ts';

/** The result of one attempt. */
export interface AttemptResult {
  readonly succeeded: boolean;
  /** Null if there was no response. */
  readonly statusCode: number | null;
  /** A sentence for users; null if it succeeded. */
  readonly error: string | null;
  readonly durationMs: number;
  /** The start of the response; null if there was none. */
  readonly responseBody: string | null;
  /** The delay that the receiver asked for; null if it did not. */
  readonly retryAfterMs: number | null;
}

/** A code unit of a string has at most this many UTF-8 bytes. */
const MOST_BYTES_PER_UNIT = 3;

/** Bytes to read, so that normal responses end by themselves and their connection can be reused. */
const READ_BYTES = 16 * 1024;

/** Posts a signed event. Never rejects: every result is an outcome. */
export function postEvent(
  client: OutboundClient,
  {
    url,
    body,
    headers,
    now,
  }: {
    readonly url: string;
    readonly body: string;
    readonly headers: SignatureHeaders;
    readonly now: Date;
  },
): Promise<AttemptResult> {
  const startedAtMs = performance.now();
  const request = {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    maxBytes: READ_BYTES,
  } as const;
  return client
    .request(request)
    .then((response) => judgeResponse(response, Math.round(performance.now() - startedAtMs), now));
}

function judgeResponse(response: OutboundResult, durationMs: number, now: Date): AttemptResult {
  if (response.kind !== 'responded') {
    const error = response.kind === 'refused' ? `The URL ${response.reason}.` : `No response: ${response.reason}.`;
    return { succeeded: false, statusCode: null, error, durationMs, responseBody: null, retryAfterMs: null };
  }
  const { status: statusCode } = response;
  const succeeded = statusCode >= 200 && statusCode < 300;
  return {
    succeeded,
    statusCode,
    error: succeeded ? null : describeStatus(statusCode),
    durationMs,
    responseBody: toStoredText(response.body),
    retryAfterMs: succeeded ? null : readRetryAfter(response.headers['retry-after'], now),
  };
}

function describeStatus(statusCode: number): string {
  if (statusCode >= 300 && statusCode < 400)
    return `The endpoint responded with ${statusCode}. Redirects are not followed.`;
  return statusCode === 410
    ? 'The endpoint responded with 410: it is gone.'
    : `The endpoint responded with ${statusCode}.`;
}

/**
 * Converts to UTF-8 text within the limit. The database rejects NUL, and invalid UTF-8 becomes replacement characters.
 * These take more space than the bytes they replace, so the text is cut a second time, and never within a character:
 * half a character would make the whole record unreadable.
 */
function toStoredText(body: Buffer): string {
  const text = body.toString('utf8', 0, LIMITS.webhookResponseBytes).replaceAll('\u0000', '\uFFFD');
  if (text.length * MOST_BYTES_PER_UNIT <= LIMITS.webhookResponseBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= LIMITS.webhookResponseBytes) return text;
  let end = LIMITS.webhookResponseBytes;
  while (isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** Whether a byte of UTF-8 is a continuation byte (RFC 3629, section 3). */
function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
