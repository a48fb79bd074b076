import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Effect, ERRORS, type ErrorCode, type FieldProblem, type Problem } from '@postrider/core';
import { refuse } from './results.ts';
import { inTools, type NameTools } from './tool-names.ts';

/** Of a problem that no page and no request is known of. */
const NO_PAGE = 'about:blank';

interface LocalProblem {
  readonly detail: string;
  readonly fix?: string;
  readonly retryable?: boolean;
  readonly errors?: FieldProblem[];
}

/**
 * A problem that was created without a request to the API, so that it has no request id (empty) and no page: RFC 9457 uses
 * `about:blank` for that. If the tools are called by a request to the API itself, `finishRefusal` adds both.
 */
export function localProblem(code: ErrorCode, { detail, fix, retryable, errors }: LocalProblem): Problem {
  const definition = ERRORS[code];
  return {
    type: NO_PAGE,
    title: definition.title,
    status: definition.status,
    detail,
    code,
    fix: fix ?? definition.fix,
    retryable: retryable ?? definition.retryable,
    requestId: '',
    ...(errors === undefined ? {} : { errors }),
  };
}

export interface CallWithoutResponse {
  readonly effect: Effect;
  /** The idempotency key of the call, chosen by the caller or automatic; null if it had none. */
  readonly idempotencyKey: string | null;
  readonly reason: string;
}

/**
 * The operation was called and no response arrived, so it is unknown whether it was executed. The advice is to try again only if that
 * cannot execute it twice.
 */
export function noResponseProblem(
  code: 'internal' | 'unavailable',
  { effect, idempotencyKey, reason }: CallWithoutResponse,
): Problem {
  if (effect === 'read')
    return localProblem(code, { detail: reason, fix: 'Make the same call again.', retryable: true });
  const detail = `${reason} It is not known whether the call was executed.`;
  if (idempotencyKey !== null) {
    const fix = `Make the same call again with idempotency_key ${idempotencyKey}: it is then executed only once.`;
    return localProblem(code, { detail, fix, retryable: true });
  }
  const fix =
    effect === 'send'
      ? 'Do not send again yet: look for the message with list_emails first.'
      : 'Read the present state before you call again.';
  return localProblem(code, { detail, fix, retryable: false });
}

/**
 * Completes a refusal that was created here: its fix gets the tool names of the connection, and it gets the page of its code and the request
 * id, like those of the API. Other results stay unchanged.
 */
export function finishRefusal(
  result: CallToolResult,
  nameTools: NameTools,
  origin: { readonly baseUrl: string; readonly requestId: string } | null,
): CallToolResult {
  if (result.isError !== true) return result;
  // What is refused was written by `refuse`, which puts the whole problem there.
  const { error: problem } = result.structuredContent as { readonly error: Problem };
  if (problem.type !== NO_PAGE) return result;
  const named = inTools(problem, nameTools);
  if (origin === null) return named.fix === problem.fix ? result : refuse(named);
  const { baseUrl, requestId } = origin;
  return refuse({ ...named, type: `${baseUrl}/reference#error-${problem.code}`, requestId });
}
