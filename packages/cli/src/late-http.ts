import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';

interface RequestHead extends Pick<RequestOptions, 'method' | 'agent'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Makes a request and resolves with its answer, of which the body is still to be read. Rejects where there is none. */
export function openRequest(
  url: string,
  { headers, ...options }: RequestHead,
  body?: string | Buffer,
): Promise<IncomingMessage> {
  // Node says no length of its own accord for a DELETE, whose body would then be read as a request of its own.
  const framing = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    requestOf(url)(url, { ...options, headers: { ...headers, ...framing } })
      .once('response', resolve)
      .on('error', reject)
      // Where an offer to speak another protocol (101) was the answer, that is all that is told of it.
      .once('close', () => reject(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })))
      .end(body);
  });
}

/**
 * What makes a request to an address of this kind. The modules are not imported: to import one reads all it exports, among that the WebSocket, which
 * loads undici after all.
 */
function requestOf(url: string): (url: string, options: RequestOptions) => ClientRequest {
  return url.startsWith('https:')
    ? process.getBuiltinModule('node:https').request
    : process.getBuiltinModule('node:http').request;
}
