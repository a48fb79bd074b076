import type { CallableId, PlacedInput, Problem } from '@postrider/core';

/** The result of an operation: its body as JSON values, or the problem of the refusal. */
export type InvokeResult =
  | {
      readonly ok: true;
      readonly status: number;
      readonly body: unknown;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly ok: false; readonly problem: Problem };

/**
 * The only way from a tool to the API: the server passes its in-process operations, the stdio entry passes the SDK. The input is not yet
 * validated; the implementation refuses invalid input. Rejects only on internal errors.
 */
export type Invoke = (
  operationId: CallableId,
  input: PlacedInput,
  options: { readonly signal?: AbortSignal },
) => Promise<InvokeResult>;
