import {
  ERRORS,
  type ErrorCode,
  type FieldProblem,
  type MessageStatus,
  type Problem,
  type RefusedRecipient,
} from '@postrider/core';

export interface ProblemDetails {
  readonly detail?: string;
  readonly fix?: string;
  readonly errors?: readonly FieldProblem[];
  readonly recipients?: readonly RefusedRecipient[];
  /** For `message_not_queued`. */
  readonly currentStatus?: MessageStatus;
  /** Whether the same request may succeed later, if this case differs from its code. */
  readonly retryable?: boolean;
  /** Response headers that belong to it, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal that is returned to the caller: an error code of the catalog and the details of this case. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ErrorCode;
  readonly details: ProblemDetails;
  constructor(code: ErrorCode, details: ProblemDetails = {}) {
    super(details.detail ?? ERRORS[code].description);
    this.code = code;
    this.details = details;
  }
}

/** The URL in the `type` of an error: its entry on the served reference page. */
function problemType(baseUrl: string, code: ErrorCode): string {
  return `${baseUrl}/reference#error-${code}`;
}

/** The response body of every error. */
export function toProblem(error: ProblemError, baseUrl: string, requestId: string): Problem {
  const definition = ERRORS[error.code];
  const { errors, recipients, currentStatus } = error.details;
  return {
    type: problemType(baseUrl, error.code),
    title: definition.title,
    status: definition.status,
    detail: error.details.detail ?? definition.description,
    code: error.code,
    fix: error.details.fix ?? definition.fix,
    retryable: error.details.retryable ?? definition.retryable,
    requestId,
    ...(errors === undefined ? {} : { errors: [...errors] }),
    ...(recipients === undefined ? {} : { recipients: [...recipients] }),
    ...(currentStatus === undefined ? {} : { currentStatus }),
  };
}

/**
 * The error of one item of a batch. The response has no `retry-after` for it, so the wait is a field of the item and in the words of its fix.
 */
export function toItemError(
  error: ProblemError,
  baseUrl: string,
  requestId: string,
): { readonly error: Problem; readonly retryAfterSeconds?: number } {
  const problem = toProblem(error, baseUrl, requestId);
  const wait = problemHeaders(error)['retry-after'];
  if (wait === undefined) return { error: problem };
  const fix = problem.fix.replace('for the seconds in `retry-after`', `for ${wait} s`);
  return { error: { ...problem, fix }, retryAfterSeconds: Number(wait) };
}

/** Headers that accompany a problem: how to authenticate, when to retry. */
export function problemHeaders(error: ProblemError): Readonly<Record<string, string>> {
  const status = ERRORS[error.code].status;
  return {
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="postrider"' } : {}),
    ...(error.code === 'unavailable' || error.code === 'idempotency_in_progress' ? { 'retry-after': '1' } : {}),
    ...error.details.headers,
  };
}
