import type { IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';
import { declaredBytes } from './arriving-bodies.ts';
import { awaitsContinue } from './expect-continue.ts';

/** A shorter rest of a body is read and discarded, so that its connection can be reused. */
const DISCARDED_BYTES = 16 * 1024;
/**
 * How long a connection stays open after a response that was sent before the body had arrived. A client that is still
 * writing would lose the response if the connection were reset at once (RFC 9112, section 9.6).
 */
const LINGER_MS = 1_000;

/** Makes the connection close after the response, without reading the rest of the body. */
export function closeBeforeUnreadBody(request: IncomingMessage, reply: FastifyReply): void {
  if (declaredBytes(request.headers) <= DISCARDED_BYTES && !awaitsContinue(request)) return;
  const { socket } = request;
  reply.header('connection', 'close');
  // By default Node would read and discard the rest of the body, unless something has started to read it and then stopped.
  request.on('readable', () => undefined).read(0);
  // Node calls this when the response has been sent.
  socket.destroySoon = () => {
    socket.end();
    socket.pause();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
