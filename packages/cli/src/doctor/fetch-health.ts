import { json } from 'node:stream/consumers';
import { openRequest } from '../open-request.ts';
import { isRecord, type JsonRecord } from '../output/json-value.ts';

export type HealthResult =
  | {
      readonly kind: 'responded';
      readonly status: number;
      /** Empty if the response was not a JSON object. */
      readonly body: JsonRecord;
      /** The server's time from its `Date` header, to the second; null without one. */
      readonly serverTimeMs: number | null;
      /** This machine's time at the middle of the request. */
      readonly ownTimeMs: number;
    }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Reads one of the server's public health pages, without a key. Redirects are not followed: at a base URL that only redirects, sends would
 * lose their bodies. Rejects only if the user interrupts.
 */
export async function fetchHealth(
  baseUrl: string,
  path: '/health' | '/health/ready',
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<HealthResult> {
  const beganMs = Date.now();
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const either = signal === undefined ? limit : AbortSignal.any([limit, signal]);
    // A separate connection, so that none stays open after the command.
    const head = { agent: false, signal: either, headers: { accept: 'application/json' } };
    const response = await openRequest(`${baseUrl}${path}`, head);
    const ownTimeMs = (beganMs + Date.now()) / 2;
    const date = Date.parse(response.headers.date ?? '');
    const body: unknown = await json(response).catch(() => null);
    return {
      kind: 'responded',
      status: response.statusCode ?? 0,
      body: isRecord(body) ? body : {},
      serverTimeMs: Number.isNaN(date) ? null : date,
      ownTimeMs,
    };
  } catch (error) {
    signal?.throwIfAborted();
    return { kind: 'failed', reason: limit.aborted ? `no response within ${timeoutMs / 1_000} s` : describe(error) };
  }
}

/** If several addresses all failed, the error itself has an empty message. */
function describe(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
