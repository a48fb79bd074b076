import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { toProblem } from '../problem.ts';
import { faultOfUnreadable } from './invalid-http.ts';

/**
 * Responds to data that is not a valid HTTP request or arrived too slowly: the same body as every other error, written
 * directly to the socket because there is no request object. The connection must close, because the start of a next
 * request is unknown. In the middle of a response nothing more can be said: the connection is only closed.
 */
export function respondToClientError(
  error: Error & { readonly code?: string; readonly rawPacket?: unknown },
  socket: Socket,
  baseUrl: string,
  requestId: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isResponding(socket)) {
    socket.destroy();
    return;
  }
  const problem = toProblem(faultOfUnreadable(error), baseUrl, requestId);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `x-request-id: ${requestId}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Node keeps the response that is being sent on its socket, and has no public name for it. */
function isResponding(socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}
