import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const waiting = new WeakSet<IncomingMessage>();

/**
 * A client that sends `Expect: 100-continue` sends its body only after a 100 response (RFC 9110, section 10.1.1). By
 * default Node sends it at once; here it is sent only after all checks that need no body.
 */
export function offerContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
  // Otherwise Node would respond to all other values itself, without a body and a request id.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

/** Whether the client of a request is waiting for a 100 response. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return waiting.has(request);
}
