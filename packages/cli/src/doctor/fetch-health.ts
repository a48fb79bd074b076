import { json } from 'node:stream/consumers';
import { openRequest } from '../late-http.ts';
import { isRecord, type JsonRecord } from '../output/json-value.ts';

export type HealthResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Empty where the answer was no JSON object. */
      readonly body: JsonRecord;
      /** The server's time by its `Date` header, to the second; null without one. */
      readonly serverTimeMs: number | null;
      /** This machine's time at the middle of the request. */
      readonly ownTimeMs: number;
    }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Asks one of the server's public pages about its health, without a key. A redirect is an answer like others: at a base URL that only leads
 * to another one, sends would lose their bodies on the way. Rejects only where the user interrupts.
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
    // On a connection of its own, so that none is left open behind the command.
    const head = { agent: false, signal: either, headers: { accept: 'application/json' } };
    const response = await openRequest(`${baseUrl}${path}`, head);
    const ownTimeMs = (beganMs + Date.now()) / 2;
    const date = Date.parse(response.headers.date ?? '');
    const body: unknown = await json(response).catch(() => null);
    return {
      kind: 'answered',
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

/** Several addresses that all failed are one error with an empty message. */
function describe(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
