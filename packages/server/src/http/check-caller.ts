import type { AnyOperation } from '@postrider/core';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../keys/caller.ts';
import { whenKnown } from '../when-known.ts';
import { authenticateRequest, type RequestAuthentication } from './authenticate-request.ts';
import { assertScope } from './execute-operation.ts';
import type { RequestState } from './request-state.ts';

/**
 * How old the checked state of a caller may be when an operation starts. Together with the half second for which it is
 * cached, a change to a key, a session or an account takes effect within one second, however slowly a body arrives.
 */
const FRESH_MS = 250;

/** Identifies the caller, and records the time. @throws ProblemError if there is none, or not in the way the operation requires */
export function checkCaller(
  operation: AnyOperation,
  request: FastifyRequest,
  guards: RequestAuthentication,
): Caller | Promise<Caller> {
  return whenKnown(authenticateRequest(operation, request, guards), (caller) => {
    request.state.caller = caller;
    request.state.checkedAtMs = performance.now();
    return caller;
  });
}

/** Whether the last check is recent enough to start an operation. */
export function isFresh({ checkedAtMs }: RequestState): boolean {
  return performance.now() - checkedAtMs < FRESH_MS;
}

/** Makes the caller be checked again when the body of the request is complete, however soon that is. */
export function expireCheck(state: RequestState): void {
  state.checkedAtMs = Number.NEGATIVE_INFINITY;
}

/**
 * Checks the caller again if the body took time to arrive, or if one request makes several calls.
 * @throws ProblemError if the caller may not make this request any more
 */
export async function refreshCaller(
  operation: AnyOperation,
  request: FastifyRequest,
  guards: RequestAuthentication,
): Promise<void> {
  if (request.state.caller === null || isFresh(request.state)) return;
  await checkCaller(operation, request, guards);
  assertScope(operation, request.state);
}
