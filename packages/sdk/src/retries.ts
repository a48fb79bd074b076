import type { PostriderErrorDetails } from './errors.ts';

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;

/** The current format of HTTP dates; engines accept far more strings as dates. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Responses of a proxy that could not reach the server. */
const GATEWAY_STATUSES: readonly (number | null)[] = [502, 503, 504];
/** Temporary errors. Other retryable errors require a user or a date; the caller must repeat those calls. */
const PASSING_STATUSES: readonly (number | null)[] = [429, 500, 503];

export interface RetryFacts {
  readonly failure: Pick<PostriderErrorDetails, 'code' | 'status' | 'retryable' | 'retryAfterMs'>;
  readonly retriesDone: number;
  readonly maxRetries: number;
  /** If a server asks for a longer wait, the call gives up: an earlier retry would only be refused again. */
  readonly maxRetryAfterMs: number;
  /** Whether running it twice equals running it once: a read, or a request with an idempotency key. */
  readonly repeatable: boolean;
  /** At least 0 and less than 1. */
  readonly random: number;
}

export type RetryVerdict = { readonly retry: true; readonly delayMs: number } | { readonly retry: false };

/**
 * Whether and when to retry. The wait is what the server asked for, else exponential backoff with full jitter, so that many
 * clients that failed together do not retry together.
 */
export function decideRetry(facts: RetryFacts): RetryVerdict {
  const { failure, retriesDone, maxRetries, maxRetryAfterMs, repeatable, random } = facts;
  if (retriesDone >= maxRetries || !isPassing(failure)) return { retry: false };
  if (!repeatable && !wasRefusedUnread(failure)) return { retry: false };
  if (failure.retryAfterMs === null) return { retry: true, delayMs: random * backoffMs(retriesDone) };
  if (failure.retryAfterMs > maxRetryAfterMs) return { retry: false };
  return { retry: true, delayMs: failure.retryAfterMs };
}

/** Milliseconds in a `retry-after` header, in seconds or as an HTTP date (RFC 9110, 10.2.3); null if there is no valid one. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  const atMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/** Whether a status without a problem body means that a proxy could not reach the server. */
export function isGatewayStatus(status: number | null): boolean {
  return GATEWAY_STATUSES.includes(status);
}

function isPassing({ code, status, retryable }: RetryFacts['failure']): boolean {
  if (code === 'connection_failed' || code === 'timeout') return true;
  if (code === 'unexpected_answer') return isGatewayStatus(status);
  return retryable && (code === 'idempotency_in_progress' || PASSING_STATUSES.includes(status));
}

/** A rate limit is checked before anything runs, so even a request that must not run twice can be repeated. */
function wasRefusedUnread({ code, status }: RetryFacts['failure']): boolean {
  return status === 429 && code !== 'unexpected_answer';
}

function backoffMs(retriesDone: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retriesDone);
}
