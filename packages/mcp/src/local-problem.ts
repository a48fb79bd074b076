import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Effect, ERRORS, type ErrorCode, type FieldProblem, type Problem } from '@postrider/core';
import { refuse } from './results.ts';
import { inTools, type NameTools } from './tool-names.ts';

/** Used if a problem has no page and no request id. */
const NO_PAGE = 'about:blank';

interface LocalProblem {
  readonly detail: string;
  readonly fix?: string;
  readonly retryable?: boolean;
  readonly errors?: FieldProblem[];
}

/**
 * A problem created without an API request, so its request id is empty and its type is `about:blank` (RFC 9457). If the tools are called
 * through an API request, `finishRefusal` adds the id and the page.
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
 * The operation was called and no response arrived, so it is unknown whether it ran. The fix suggests a retry only if that cannot run it
 * twice.
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
 * Completes a refusal created here: its fix gets the tool names of the connection, and it gets a page and request id like API refusals.
 * Other results stay unchanged.
 */
export function finishRefusal(
  result: CallToolResult,
  nameTools: NameTools,
  origin: { readonly baseUrl: string; readonly requestId: string } | null,
): CallToolResult {
  if (result.isError !== true) return result;
  // `refuse` put the whole problem there.
  const { error: problem } = result.structuredContent as { readonly error: Problem };
  if (problem.type !== NO_PAGE) return result;
  const named = inTools(problem, nameTools);
  if (origin === null) return named.fix === problem.fix ? result : refuse(named);
  const { baseUrl, requestId } = origin;
  return refuse({ ...named, type: `${baseUrl}/reference#error-${problem.code}`, requestId });
}
