import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export type AttemptOutcome =
  | { readonly kind: 'response'; readonly response: TransportResponse }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'connection_failed'; readonly cause: unknown };

export interface AttemptLimits {
  readonly timeoutMs: number;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
}

/** Sends a request once, with a timeout. Rejects only if the caller aborts, with the signal's reason. */
export async function attempt(
  transport: Transport,
  request: Omit<TransportRequest, 'signal'>,
  { timeoutMs, signal }: AttemptLimits,
): Promise<AttemptOutcome> {
  signal?.throwIfAborted();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const either = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
  try {
    return { kind: 'response', response: await transport({ ...request, signal: either }) };
  } catch (cause) {
    signal?.throwIfAborted();
    return deadline.signal.aborted ? { kind: 'timed_out' } : { kind: 'connection_failed', cause };
  } finally {
    clearTimeout(timer);
  }
}

/** Waits between two attempts; rejects with the signal's reason as soon as the caller aborts. */
export function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(end, delayMs);
    signal?.addEventListener('abort', end, { once: true });
    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
