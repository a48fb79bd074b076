import {
  argumentsOf,
  ERROR_CODES,
  type ErrorCode,
  type FieldProblem,
  findOperation,
  type Operation,
  type PlacedInput,
  type Problem,
} from '@postrider/core';
import { type OperationCaller, PostriderError } from '@postrider/sdk';
import type { Invoke } from './invoke.ts';
import { localProblem, noResponseProblem } from './local-problem.ts';
import { withWaitInWords } from './wait-in-words.ts';

export interface SdkInvokeSettings {
  /** Whether the key's persona sets the source; then the send must not. */
  readonly keySetsSource: boolean;
}

/** Operations over HTTP with the SDK, for the stdio entry. Refusals and missing responses are returned as problems; it never rejects. */
export function createSdkInvoke(client: OperationCaller, settings: SdkInvokeSettings): Invoke {
  return async (id, given, { signal }) => {
    const operation: Operation = findOperation(id);
    const missing = missingParams(operation, given);
    if (missing.length > 0) return { ok: false, problem: requiredProblem(missing) };
    const input = operation.effect === 'send' ? markAsMcp(given, operation, settings) : given;
    try {
      if (operation.response === 'stream') {
        const { status, headers, chunks } = await client.openOperation(
          id,
          input,
          signal === undefined ? {} : { signal },
        );
        return { ok: true, status, body: chunks, headers };
      }
      const response = await client.requestOperation(id, input, signal === undefined ? {} : { signal });
      return { ok: true, status: response.status, body: response.data, headers: response.headers };
    } catch (error) {
      return { ok: false, problem: toProblem(error, operation) };
    }
  };
}

/**
 * Sets the channel: on `POST /mcp` the server knows that a send came through MCP, but sends from stdio look like any other. The source
 * stays as the caller or the key's persona sets it.
 */
function markAsMcp(input: PlacedInput, operation: Operation, { keySetsSource }: SdkInvokeSettings): PlacedInput {
  const { body } = input;
  if (!isObject(body) || !acceptsChannel(operation)) return input;
  const mark = (send: unknown) =>
    isObject(send) ? { ...(keySetsSource ? {} : { source: 'agent' }), ...send, channel: 'mcp' } : send;
  const { itemwise } = operation;
  if (itemwise === undefined) return { ...input, body: mark(body) };
  const items = body[itemwise.field];
  return Array.isArray(items) ? { ...input, body: { ...body, [itemwise.field]: items.map(mark) } } : input;
}

/** A template test has no such fields: the server sets them. */
function acceptsChannel(operation: Operation): boolean {
  return operation.itemwise !== undefined || argumentsOf(operation).some(({ name }) => name === 'channel');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A path cannot be built without its parameters, so missing ones are reported here, with the API's texts. */
function missingParams(operation: Operation, input: PlacedInput): FieldProblem[] {
  return Object.keys(operation.params?.shape ?? {})
    .filter((name) => {
      const value = input.params[name];
      return !(typeof value === 'string' || typeof value === 'number') || /^\.{0,2}$/.test(String(value));
    })
    .map((path) => ({ path, code: 'required', message: 'is required' }));
}

function requiredProblem(errors: FieldProblem[]): Problem {
  return localProblem('validation_failed', {
    detail: `Missing: ${errors.map(({ path }) => path).join(', ')}.`,
    errors,
  });
}

function toProblem(error: unknown, { effect }: Operation): Problem {
  if (!(error instanceof PostriderError)) {
    // The SDK throws other errors for input that no request can carry, such as a line break in an idempotency key.
    return localProblem('validation_failed', { detail: error instanceof Error ? error.message : String(error) });
  }
  const { code, detail, idempotencyKey } = error;
  if (!isCataloged(code)) return noResponseProblem('unavailable', { effect, idempotencyKey, reason: detail });
  // The problem body as received, with members that only some problems have; the SDK's error if a proxy removed the body.
  const base = localProblem(code, { detail, fix: error.fix, retryable: error.retryable });
  const body = typeof error.body === 'object' ? error.body : {};
  const retryAfterSeconds = error.retryAfterMs === null ? null : error.retryAfterMs / 1_000;
  return withWaitInWords({ ...base, requestId: error.requestId ?? '', ...body }, retryAfterSeconds);
}

function isCataloged(code: string): code is ErrorCode {
  return ERROR_CODES.some((known) => known === code);
}
