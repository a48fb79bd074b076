import { finished } from 'node:stream/promises';
import { openRequest } from '../late-http.ts';

/** What came of posting a webhook to the developer's own program. */
export interface PostOutcome {
  /** Null where there was no answer. */
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** Why there was no answer; null where there was one. */
  readonly error: string | null;
}

/** As long as the server itself would wait. */
const TIMEOUT_MS = 15_000;

/**
 * Posts a signed request as it is, and follows no redirect, as the server does. Never rejects, save where the user interrupts. Not by fetch,
 * which refuses some ports and joins or adds headers.
 */
export async function postSigned(
  url: string,
  { headers, payload }: { readonly headers: Readonly<Record<string, string>>; readonly payload: string },
  signal: AbortSignal | undefined,
): Promise<PostOutcome> {
  const began = performance.now();
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const outcome = (statusCode: number | null, error: string | null): PostOutcome => {
    return { statusCode, durationMs: Math.round(performance.now() - began), error };
  };
  try {
    const either = signal === undefined ? limit : AbortSignal.any([limit, signal]);
    const answer = await openRequest(url, { method: 'POST', agent: false, signal: either, headers }, payload);
    // What the program answers beside its status is nobody's concern here, and is read so that its connection ends in good order.
    await finished(answer.resume());
    return outcome(answer.statusCode ?? null, null);
  } catch (error) {
    signal?.throwIfAborted();
    return outcome(null, limit.aborted ? `no response within ${TIMEOUT_MS / 1_000} s` : describe(error));
  }
}

/** Several addresses that all failed are one error with an empty message. */
function describe(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  return 'code' in first && first.code === 'ECONNREFUSED' ? 'nothing listens there' : first.message;
}
