import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sends a body as it is created, at the client's pace. If it fails on the way the connection is closed, so that the file does not look
 * complete.
 */
export async function sendStream(
  { method }: FastifyRequest,
  reply: FastifyReply,
  body: AsyncIterable<string | Uint8Array>,
): Promise<FastifyReply> {
  // A response to HEAD has no body, but the framework would read it to its end, and some bodies have none.
  if (method === 'HEAD') await endAfterFirst(body);
  const sent = method === 'HEAD' ? [] : body;
  // Pieces are passed on unchanged, one at a time: converting them to buffers would create megabytes of garbage.
  return reply.send(Readable.from(sent, { highWaterMark: 1 }));
}

/** Reads the first piece, because a generator that has not begun would not release what it was given. */
async function endAfterFirst(body: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const _piece of body) return;
}
