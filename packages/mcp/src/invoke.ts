import type { CallableId, PlacedInput, Problem } from '@postrider/core';

/** What an operation answered: its body as JSON values, or the problem it was refused with. */
export type InvokeResult =
  | {
      readonly ok: true;
      readonly status: number;
      readonly body: unknown;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly ok: false; readonly problem: Problem };

/**
 * The one way from a tool to the API: the server gives its in-process operations, the stdio entry gives the SDK. The input is not validated
 * yet; whoever stands behind refuses what is wrong. Rejects only on faults of its own.
 */
export type Invoke = (
  operationId: CallableId,
  input: PlacedInput,
  options: { readonly signal?: AbortSignal },
) => Promise<InvokeResult>;
