import { type AttemptOutcome, attempt, pause } from './attempt.ts';
import { decodeBody } from './body.ts';
import type { ApiResponse } from './call.ts';
import type { PostriderError } from './errors.ts';
import { connectionError, type RequestFacts, refusalError, timeoutError, unexpectedResponseError } from './failures.ts';
import { readRateLimit } from './rate-limit.ts';
import { decideRetry } from './retries.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** One call with every default filled in. */
export interface PreparedCall extends RequestFacts {
  readonly wire: Omit<TransportRequest, 'signal'>;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryAfterMs: number;
  readonly signal: AbortSignal | undefined;
  /** Whether a successful response must be JSON. */
  readonly expectsJson: boolean;
}

/** Sends a call as often as the retry rule allows, with the same bytes each time. Rejects with a PostriderError or the signal's reason. */
export async function exchange(transport: Transport, call: PreparedCall): Promise<ApiResponse> {
  return toResponse(await succeed(transport, call));
}

/** The same, returning the transport's response. */
export async function succeed(transport: Transport, call: PreparedCall): Promise<TransportResponse> {
  const repeatable = call.method === 'GET' || call.idempotencyKey !== null;
  for (let retriesDone = 0; ; retriesDone += 1) {
    const outcome = await attempt(transport, call.wire, call);
    if (outcome.kind === 'response' && isSuccess(outcome.response, call)) return outcome.response;
    const failure = toError(outcome, call);
    const { maxRetries, maxRetryAfterMs } = call;
    const random = Math.random();
    const verdict = decideRetry({ failure, retriesDone, maxRetries, maxRetryAfterMs, repeatable, random });
    if (!verdict.retry) throw failure;
    await pause(verdict.delayMs, call.signal);
  }
}

function isSuccess(response: TransportResponse, { expectsJson }: PreparedCall): boolean {
  if (response.status < 200 || response.status > 299) return false;
  return !expectsJson || decodeBody(response).isJson;
}

function toResponse(response: TransportResponse): ApiResponse {
  const { status, headers } = response;
  const { data } = decodeBody(response);
  return { status, headers, data, requestId: headers['x-request-id'] ?? null, rateLimit: readRateLimit(headers) };
}

function toError(outcome: AttemptOutcome, call: PreparedCall): PostriderError {
  switch (outcome.kind) {
    case 'timed_out':
      return timeoutError(call.timeoutMs, call);
    case 'connection_failed':
      return connectionError(outcome.cause, call);
    case 'response':
      return outcome.response.status >= 400
        ? refusalError(outcome.response, call, Date.now())
        : unexpectedResponseError(outcome.response, call, Date.now());
  }
}
