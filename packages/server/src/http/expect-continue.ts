import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const waiting = new WeakSet<IncomingMessage>();

/**
 * A client that sends `Expect: 100-continue` keeps its body back until it is asked for it (RFC 9110, section 10.1.1). Without this, Node asks
 * at once; so it is asked for only where the request has passed every check that needs no body.
 */
export function offerContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/** Whether the client of a request has to be asked for its body. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return waiting.has(request);
}
