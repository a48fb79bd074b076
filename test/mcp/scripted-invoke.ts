import type { CallableId, Message, OperationById, OperationOutput, PlacedInput, Problem } from '@postrider/core';
import type { Invoke, InvokeResult } from '@postrider/mcp';

export interface InvokedCall {
  readonly operationId: CallableId;
  readonly input: PlacedInput;
  readonly signal: AbortSignal | undefined;
}

export interface ScriptedInvoke {
  readonly invoke: Invoke;
  /** What was called, in order. */
  readonly calls: readonly InvokedCall[];
}

type Responder = (call: InvokedCall) => InvokeResult | Promise<InvokeResult>;

/** An API that responds as the script says, one function for each operation, and remembers what it was asked. */
export function scriptInvoke(script: { readonly [Id in CallableId]?: Responder }): ScriptedInvoke {
  const calls: InvokedCall[] = [];
  return {
    calls,
    invoke: async (operationId, input, { signal }) => {
      const call = { operationId, input, signal };
      calls.push(call);
      const response = script[operationId];
      if (response === undefined) throw new Error(`${operationId} is not in the script`);
      return response(call);
    },
  };
}

/** A successful response, typed as the operation declares it. */
export function response<Id extends CallableId>(
  body: OperationOutput<OperationById<Id>>,
  headers: Readonly<Record<string, string>> = {},
): InvokeResult {
  return { ok: true, status: 200, body, headers };
}

export function refusal(problem: Problem): InvokeResult {
  return { ok: false, problem };
}

/** Returns one message after another, and the last one from then on. */
export function inSequence(...messages: readonly Message[]): Responder {
  let next = 0;
  return () => {
    const message = messages[Math.min(next, messages.length - 1)];
    next += 1;
    if (message === undefined) throw new Error('no message in the script');
    return response<'emails.get'>(message);
  };
}
