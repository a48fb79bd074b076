import type { Dispatcher } from 'undici';
import type { OutboundResult } from './outbound-result.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** How much of a response is read; see OutboundRequest. */
export interface ResponseLimits {
  readonly maxBytes: number;
  readonly reserveBytes?: (bytes: number) => boolean;
}

/** Receives one response from the HTTP client, and ends it early when no more of it is needed. */
export interface ResponseHandler extends Dispatcher.DispatchHandler {
  /** Aborts the request, whether started or not. Rejects with this error unless the request is over. */
  abort(error: Error): void;
}

/**
 * Collects a response in the client's own callbacks: a stream and a signal for each request cost as much as all the rest of a small one.
 * Exactly one of `resolve` and `reject` is called, and once.
 */
export function createResponseHandler(
  { maxBytes, reserveBytes }: ResponseLimits,
  resolve: (finish: OutboundResult) => void,
  reject: (error: Error) => void,
): ResponseHandler {
  const chunks: Buffer[] = [];
  let length = 0;
  let status = 0;
  let headers: Headers = {};
  let controller: Dispatcher.DispatchController | null = null;
  let ended: Error | null = null;
  let isOver = false;

  function fail(error: Error): void {
    if (isOver) return;
    isOver = true;
    reject(error);
  }

  /** Most responses are one chunk, and copying it costs more than checking. */
  function joinChunks(): Buffer {
    const [only] = chunks;
    return only !== undefined && chunks.length === 1 && length <= maxBytes
      ? only
      : Buffer.concat(chunks, Math.min(length, maxBytes));
  }

  function finish(truncated: boolean): void {
    if (isOver) return;
    isOver = true;
    resolve({ kind: 'responded', status, headers: joinHeaders(headers), body: joinChunks(), truncated });
  }

  return {
    abort(error) {
      ended = error;
      fail(error);
      controller?.abort(error);
    },
    onRequestStart(given) {
      // Aborted while it waited for a connection: nothing is sent.
      if (ended !== null) return given.abort(ended);
      controller = given;
    },
    onResponseStart(_, statusCode, given) {
      // An interim response (RFC 9110, section 15.2) is followed by the final one.
      if (statusCode < 200) return;
      status = statusCode;
      headers = given;
    },
    onResponseData(given, chunk) {
      if (reserveBytes?.(chunk.length) !== false) {
        chunks.push(chunk);
        length += chunk.length;
        if (length <= maxBytes) return;
      }
      finish(true);
      // Discarding the body also closes the connection.
      given.abort(new Error('the rest of the response is not needed'));
    },
    onResponseEnd: () => finish(false),
    onResponseError: (_, error) => fail(error),
  };
}

function joinHeaders(headers: Headers): Readonly<Record<string, string>> {
  if (areSingle(headers)) return headers;
  const joined: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    joined[name] = typeof value === 'string' ? value : (value?.join(', ') ?? '');
  }
  return joined;
}

/** Whether no header is repeated, which is almost always true. */
function areSingle(headers: Headers): headers is Readonly<Record<string, string>> {
  for (const name in headers) if (typeof headers[name] !== 'string') return false;
  return true;
}
