import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';

interface RequestHead extends Pick<RequestOptions, 'method' | 'agent'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Sends a request and resolves with its response, whose body is not read yet. Rejects if there is no response. */
export function openRequest(
  url: string,
  { headers, ...options }: RequestHead,
  body?: string | Buffer,
): Promise<IncomingMessage> {
  // Node sets no length for a DELETE by itself, and its body would then be parsed as a separate request.
  const framing = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    requestOf(url)(url, { ...options, headers: { ...headers, ...framing } })
      .once('response', resolve)
      .on('error', reject)
      // For a response that switches protocols (101), this is the only event.
      .once('close', () => reject(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })))
      .end(body);
  });
}

/**
 * The request function for the scheme of a URL. The modules are not imported: an import reads all their exports, and that of WebSocket loads
 * undici.
 */
function requestOf(url: string): (url: string, options: RequestOptions) => ClientRequest {
  return url.startsWith('https:')
    ? process.getBuiltinModule('node:https').request
    : process.getBuiltinModule('node:http').request;
}
