import { finished } from 'node:stream/promises';
import { openRequest } from '../open-request.ts';

/** The result of a post to the developer's program. */
export interface PostOutcome {
  /** Null if there was no response. */
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** Why there was no response; null if there was one. */
  readonly error: string | null;
}

/** The same timeout as the server's. */
const TIMEOUT_MS = 15_000;

/**
 * Posts a signed request unchanged and follows no redirect, like the server. Rejects only if the user interrupts. It does not use fetch, which
 * blocks some ports and adds or joins headers.
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
    const response = await openRequest(url, { method: 'POST', agent: false, signal: either, headers }, payload);
    // The body is not used, but must be read so that the connection closes cleanly.
    await finished(response.resume());
    return outcome(response.statusCode ?? null, null);
  } catch (error) {
    signal?.throwIfAborted();
    return outcome(null, limit.aborted ? `no response within ${TIMEOUT_MS / 1_000} s` : describe(error));
  }
}

/** If several addresses all failed, the error itself has an empty message. */
function describe(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  return 'code' in first && first.code === 'ECONNREFUSED' ? 'nothing listens there' : first.message;
}
