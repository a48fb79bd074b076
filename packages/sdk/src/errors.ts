import type { Problem } from './generated/models.ts';
import type { RateLimit } from './rate-limit.ts';

/** Codes of the error catalog of this version; docs/errors.md explains each. */
export type ErrorCode = Problem['code'];

/**
 * Codes beyond the catalog: the server did not respond (`connection_failed`), not in time (`timeout`), or the response is not the API's, such as
 * a proxy's error page or a redirect (`unexpected_answer`).
 */
export type PostriderErrorCode = ErrorCode | 'connection_failed' | 'timeout' | 'unexpected_answer' | WebhookErrorCode;

/** Why `verifyWebhook` refuses a request. */
export type WebhookErrorCode =
  | 'webhook_header_missing'
  | 'webhook_timestamp_invalid'
  | 'webhook_timestamp_outside_tolerance'
  | 'webhook_signature_mismatch'
  | 'webhook_body_invalid';

export type FieldProblem = NonNullable<Problem['errors']>[number];
export type RefusedRecipient = NonNullable<Problem['recipients']>[number];

export interface PostriderErrorDetails {
  readonly code: PostriderErrorCode;
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;
  /** What is wrong. */
  readonly detail: string;
  /** What to do next. */
  readonly fix: string;
  /** Whether the same request can succeed later without a change. */
  readonly retryable: boolean;
  /** Quote it to support; null if no response contained one. */
  readonly requestId: string | null;
  /** The fields that break a rule. */
  readonly errors: readonly FieldProblem[];
  /** The recipients a send was refused for. */
  readonly recipients: readonly RefusedRecipient[];
  /** Milliseconds the server asked to wait; null if it did not. */
  readonly retryAfterMs: number | null;
  /** The state of the key's rate limit; null if the response does not contain it. */
  readonly rateLimit: RateLimit | null;
  /** The key the request carried. Where the outcome is unknown, the same call with this key is safe. */
  readonly idempotencyKey: string | null;
  /** The whole body: parsed where it was JSON, else at most its first 4,096 characters; null where there was none. */
  readonly body: unknown;
}

/** Every refused or failed call rejects with this, except a call the caller aborted: that one rejects with the signal's reason. */
export class PostriderError extends Error implements PostriderErrorDetails {
  override readonly name = 'PostriderError';
  readonly code: PostriderErrorCode;
  readonly status: number | null;
  readonly detail: string;
  readonly fix: string;
  readonly retryable: boolean;
  readonly requestId: string | null;
  readonly errors: readonly FieldProblem[];
  readonly recipients: readonly RefusedRecipient[];
  readonly retryAfterMs: number | null;
  readonly rateLimit: RateLimit | null;
  readonly idempotencyKey: string | null;
  readonly body: unknown;

  constructor(details: PostriderErrorDetails, cause?: unknown) {
    super(`${details.code}: ${details.detail}`, cause === undefined ? undefined : { cause });
    this.code = details.code;
    this.status = details.status;
    this.detail = details.detail;
    this.fix = details.fix;
    this.retryable = details.retryable;
    this.requestId = details.requestId;
    this.errors = details.errors;
    this.recipients = details.recipients;
    this.retryAfterMs = details.retryAfterMs;
    this.rateLimit = details.rateLimit;
    this.idempotencyKey = details.idempotencyKey;
    this.body = details.body;
  }
}
