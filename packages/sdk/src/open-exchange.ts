import type { OpenResponse } from './call.ts';
import { type PreparedCall, succeed } from './exchange.ts';
import { connectionError, timeoutError } from './failures.ts';
import { readRateLimit } from './rate-limit.ts';
import type { Transport } from './transport.ts';

/**
 * Sends a call as `exchange` does, and streams the body. `timeoutMs` then applies to each chunk. A started download is not
 * restarted: a body that breaks off rejects.
 */
export async function openExchange(transport: Transport, call: PreparedCall): Promise<OpenResponse> {
  const cut = new AbortController();
  const signal = call.signal ? AbortSignal.any([call.signal, cut.signal]) : cut.signal;
  const wire = { ...call.wire, opens: true };
  const { status, headers, text, chunks } = await succeed(transport, { ...call, wire, signal });
  const body = chunks ?? [new TextEncoder().encode(text)];
  const facts = { requestId: headers['x-request-id'] ?? null, rateLimit: readRateLimit(headers) };
  return { status, headers, ...facts, chunks: readInTime(body, call, cut) };
}

async function* readInTime(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  call: PreparedCall,
  cut: AbortController,
): AsyncGenerator<Uint8Array, void, undefined> {
  let late = false;
  const cutOff = () => {
    late = true;
    cut.abort();
  };
  let timer = setTimeout(cutOff, call.timeoutMs);
  try {
    for await (const chunk of chunks) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(cutOff, call.timeoutMs);
    }
  } catch (cause) {
    call.signal?.throwIfAborted();
    throw late ? timeoutError(call.timeoutMs, call) : connectionError(cause, call);
  } finally {
    clearTimeout(timer);
    // No effect on a body that ended; for a reader that left early, it ends the transfer.
    cut.abort();
  }
}
