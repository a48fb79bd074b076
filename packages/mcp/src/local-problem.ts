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
 * A problem that no request to the API stands behind, so that it has no request id (empty) and no page of its own: RFC 9457 names
 * `about:blank` for that. Where the tools are called by a request to the API itself, `finishRefusal` adds both.
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

export interface UnansweredCall {
  readonly effect: Effect;
  /** The idempotency key the call carried, whoever chose it; null where it had none. */
  readonly idempotencyKey: string | null;
  readonly reason: string;
}

/**
 * The operation was called and no answer came, so nobody knows whether it was carried out. "Try again" is only said where that cannot do
 * the same thing twice.
 */
export function noResponseProblem(
  code: 'internal' | 'unavailable',
  { effect, idempotencyKey, reason }: UnansweredCall,
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
 * Completes a refusal that was made here: its fix names the tools of the connection, and it has the page of its code and the request it came
 * with, as those of the API do. Other results stay as they are.
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
