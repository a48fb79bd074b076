import { type DecodedBody, decodeBody } from './body.ts';
import { PostriderError, type PostriderErrorDetails } from './errors.ts';
import type { Problem } from './generated/models.ts';
import { readRateLimit } from './rate-limit.ts';
import { isGatewayStatus, parseRetryAfter } from './retries.ts';
import type { TransportResponse } from './transport.ts';

/** What every error of a request has. */
export interface RequestFacts {
  readonly method: string;
  readonly url: URL;
  readonly idempotencyKey: string | null;
}

/** How much of a body that is not JSON an error keeps, in characters: enough to recognize an error page. */
const KEPT_BODY_CHARACTERS = 4_096;

/** No complete response arrived. */
export function connectionError(cause: unknown, request: RequestFacts): PostriderError {
  const detail = `No response from ${request.url.origin} (${reasonOf(cause)}).`;
  const fix = `Check baseUrl and that the server runs.${adviceOnOutcome(request)}`;
  return new PostriderError({ ...withoutResponse(request), code: 'connection_failed', detail, fix }, cause);
}

/** The attempt timed out. */
export function timeoutError(timeoutMs: number, request: RequestFacts): PostriderError {
  const detail = `No response from ${request.url.origin} within ${timeoutMs} ms.`;
  const fix = `Give it more time by timeoutMs.${adviceOnOutcome(request)}`;
  return new PostriderError({ ...withoutResponse(request), code: 'timeout', detail, fix });
}

/** The response is an error: a problem body if it comes from the API. */
export function refusalError(response: TransportResponse, request: RequestFacts, nowMs: number): PostriderError {
  const body = decodeBody(response);
  if (!isProblem(body.data)) return unexpectedResponseError(response, request, nowMs);
  const { code, detail, fix = '', retryable = false, requestId, errors = [], recipients = [] } = body.data;
  const facts = responseFacts(response, body, request, nowMs);
  return new PostriderError({
    ...facts,
    code,
    detail,
    fix,
    retryable,
    errors,
    recipients,
    requestId: requestId ?? facts.requestId,
  });
}

/** The response is not from the API: a proxy's page, a redirect, another server. */
export function unexpectedResponseError(
  response: TransportResponse,
  request: RequestFacts,
  nowMs: number,
): PostriderError {
  const facts = responseFacts(response, decodeBody(response), request, nowMs);
  const retryable = isGatewayStatus(response.status);
  return new PostriderError({ ...facts, code: 'unexpected_answer', retryable, ...explain(response, request) });
}

function explain(response: TransportResponse, request: RequestFacts): Pick<PostriderErrorDetails, 'detail' | 'fix'> {
  if (response.status === 0 || (response.status >= 300 && response.status < 400)) {
    const target = response.headers['location'] ?? 'another address';
    const detail = `${request.url.origin} redirects to ${target}. Redirects are not followed.`;
    return { detail, fix: 'Set baseUrl to the address of the API.' };
  }
  const type = response.headers['content-type'] ?? 'no content type';
  const detail = `${request.url.origin} responded with ${response.status} and a body that is not from the API (${type}).`;
  if (!isGatewayStatus(response.status)) return { detail, fix: 'Check that baseUrl is the address of the API.' };
  return { detail, fix: `A proxy could not reach the server: try again later.${adviceOnOutcome(request)}` };
}

/** Without a response, it is unknown whether a write ran. */
function adviceOnOutcome({ method, idempotencyKey }: RequestFacts): string {
  if (method === 'GET') return '';
  if (idempotencyKey === null) return ' The request may still have been carried out: read before you repeat it.';
  return ' The request may still have been carried out: repeat it with the same idempotency key.';
}

type SharedDetails = Omit<PostriderErrorDetails, 'code' | 'detail' | 'fix'>;

function withoutResponse({ idempotencyKey }: RequestFacts): SharedDetails {
  const nothing = {
    status: null,
    requestId: null,
    errors: [],
    recipients: [],
    retryAfterMs: null,
    rateLimit: null,
    body: null,
  };
  return { ...nothing, retryable: true, idempotencyKey };
}

function responseFacts(
  response: TransportResponse,
  { data }: DecodedBody,
  { idempotencyKey }: RequestFacts,
  nowMs: number,
): SharedDetails {
  return {
    status: response.status === 0 ? null : response.status,
    retryable: false,
    requestId: response.headers['x-request-id'] ?? null,
    errors: [],
    recipients: [],
    retryAfterMs: parseRetryAfter(response.headers['retry-after'], nowMs),
    rateLimit: readRateLimit(response.headers),
    idempotencyKey,
    body: typeof data === 'string' ? data.slice(0, KEPT_BODY_CHARACTERS) : data,
  };
}

/**
 * A problem of this API has a code; RFC 9457 bodies of other software do not. Missing members get defaults, because a proxy may remove
 * them.
 */
function isProblem(data: unknown): data is Pick<Problem, 'code' | 'detail'> & Partial<Problem> {
  return (
    typeof data === 'object' &&
    data !== null &&
    'code' in data &&
    typeof data.code === 'string' &&
    'detail' in data &&
    typeof data.detail === 'string'
  );
}

/** The system's name for the failure (`ECONNREFUSED`), from as deep as the platform wrapped it; never a message, which can quote headers. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown reason';
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return cause.cause instanceof Error ? reasonOf(cause.cause) : cause.name;
}
