import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../problem.ts';
import { declaredBytes } from './arriving-bodies.ts';
import { assertJsonEncoding, parseJsonBody } from './json-body.ts';
import { COUNTED_FROM_BYTES, createJsonCounter, type JsonCounter } from './json-counter.ts';

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Receives a JSON body and parses it. What a body would cost to parse is counted while it arrives: one that exceeds a limit is refused at that
 * byte, and never parsed.
 */
export function readJsonBody(request: FastifyRequest, payload: IncomingMessage, done: Done): void {
  const limit = request.routeOptions.bodyLimit;
  const chunks: Buffer[] = [];
  let received = 0;
  let counter: JsonCounter | null = null;

  const finish = (error: Error | null, body?: unknown) => {
    payload.off('data', onData).off('end', onEnd).off('error', finish);
    // Chunks that are kept in here would live as long as the request.
    chunks.length = 0;
    // The stream fails once more when its connection is closed, and no one may be left without a listener then.
    if (error !== null) payload.on('error', () => undefined).pause();
    done(error, body);
  };
  const onData = (chunk: Buffer) => {
    received += chunk.length;
    chunks.push(chunk);
    try {
      if (received > limit) throw tooLarge(limit);
      request.state.arriving?.take(chunk.length);
      if (received < COUNTED_FROM_BYTES) return;
      const uncounted = counter === null ? chunks : [chunk];
      counter ??= createJsonCounter();
      for (const piece of uncounted) assertWithinLimits(counter, piece);
    } catch (error) {
      finish(error as Error);
    }
  };
  const onEnd = () => {
    let body: unknown;
    try {
      const [first = Buffer.alloc(0)] = chunks;
      const bytes = chunks.length > 1 ? Buffer.concat(chunks, received) : first;
      // Many clients name a content type on every request: where no body is wanted, none is missing.
      const isMissing = bytes.length === 0 && !request.routeOptions.config.takesBody;
      body = isMissing ? undefined : parseJsonBody(bytes, { isCounted: counter !== null });
    } catch (error) {
      return finish(error as Error);
    }
    finish(null, body);
  };

  try {
    assertJsonEncoding(request.headers['content-type'], request.headers['content-encoding']);
    const declared = declaredBytes(request.headers);
    if (Number.isFinite(declared) && declared > limit) throw tooLarge(limit);
  } catch (error) {
    done(error as Error);
    return;
  }
  payload.on('data', onData).on('end', onEnd).on('error', finish);
}

function assertWithinLimits(counter: JsonCounter, chunk: Buffer): void {
  const fault = counter.look(chunk);
  if (fault !== null) throw new ProblemError(fault.code, { detail: fault.detail, fix: fault.fix });
}

function tooLarge(limit: number): ProblemError {
  return new ProblemError('payload_too_large', {
    detail: `The body exceeds ${limit} bytes, the most this operation accepts.`,
  });
}
