import { setTimeout as pause } from 'node:timers/promises';
import type { ApiConnection } from '../api-connection.ts';
import { CliFailure } from '../failure.ts';
import { outcomeOf } from '../outcome.ts';
import { isRecord, textOf } from '../output/json-value.ts';

export type WaitResult =
  /** The message has its outcome or is held. */
  | { readonly kind: 'known'; readonly message: unknown }
  /** The time is up; `message` is the last one read. */
  | { readonly kind: 'over'; readonly message: unknown; readonly lastFailure: Error | null }
  /** The user ended the wait. */
  | { readonly kind: 'interrupted'; readonly message: unknown }
  /** The message cannot be read, and a retry would not help. */
  | { readonly kind: 'refused'; readonly message: unknown; readonly failure: CliFailure };

/** The longest wait of one request (`wait` of `GET /emails/:id`). */
const WAIT_SECONDS_PER_REQUEST = 60;
/** Between two reads that return immediately: a server that does not support `wait` must not be polled in a tight loop. */
const PAUSE_MS = 1_000;

/**
 * Reads a message until its outcome is known or the time is up. Temporary errors are retried, since the send itself was accepted. The wait
 * takes at most `seconds` and the time of one response.
 */
export async function waitForOutcome(
  id: string,
  seconds: number,
  connection: ApiConnection,
  signal: AbortSignal | undefined,
): Promise<WaitResult> {
  const endMs = performance.now() + seconds * 1_000;
  let message: unknown = null;
  let lastFailure: Error | null = null;
  try {
    for (let leftMs = seconds * 1_000; leftMs > 0; leftMs = endMs - performance.now()) {
      const reading = await readMessage(id, leftMs, connection);
      if (reading.failure === null) message = reading.message;
      else if (!reading.failure.problem.retryable) return { kind: 'refused', message, failure: reading.failure };
      if (outcomeOf(statusOf(message)) !== 'open') return { kind: 'known', message };
      lastFailure = reading.failure;
      await pauseAfter(leftMs, endMs, signal);
    }
  } catch (error) {
    if (signal?.aborted) return { kind: 'interrupted', message };
    throw error;
  }
  return { kind: 'over', message, lastFailure };
}

type Reading = { readonly failure: null; readonly message: unknown } | { readonly failure: CliFailure };

async function readMessage(id: string, leftMs: number, connection: ApiConnection): Promise<Reading> {
  const wait = Math.min(WAIT_SECONDS_PER_REQUEST, Math.ceil(leftMs / 1_000));
  const input = { params: { id }, query: { wait } };
  try {
    return { failure: null, message: (await connection.call('emails.get', input, 0)).data };
  } catch (error) {
    if (error instanceof CliFailure) return { failure: error };
    throw error;
  }
}

async function pauseAfter(leftBeforeMs: number, endMs: number, signal: AbortSignal | undefined): Promise<void> {
  const leftMs = endMs - performance.now();
  const tookMs = leftBeforeMs - leftMs;
  if (leftMs <= 0 || tookMs >= PAUSE_MS) return;
  await pause(Math.min(PAUSE_MS, leftMs), undefined, signal === undefined ? {} : { signal });
}

function statusOf(message: unknown): string {
  return isRecord(message) ? textOf(message['status']) : '';
}
