import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { reportLargeGarbage } from '../heap.ts';
import { ProblemError } from '../problem.ts';
import { declaredBytes } from './arriving-bodies.ts';
import { assertJsonEncoding, parseJsonBody } from './json-body.ts';
import { COUNTED_FROM_BYTES, createJsonCounter, type JsonCounter } from './json-counter.ts';
import { createJsonReader, type JsonReader, JsonTextError } from './json-reader.ts';

/** Of a body that is large enough to be counted: it is parsed as it arrives, and its bytes are not kept. */
interface LargeBody {
  readonly counter: JsonCounter;
  readonly reader: JsonReader;
}

/** Read at a time of a large body, so that one that arrives byte by byte is not parsed byte by byte. */
const PIECE_BYTES = 32 * 1024;

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Receives a JSON body and parses it. What a body would cost to parse is counted while it arrives: one that exceeds a limit is refused at that
 * byte, and never parsed.
 */
export function readJsonBody(request: FastifyRequest, payload: IncomingMessage, done: Done): void {
  const limit = request.routeOptions.bodyLimit;
  const chunks: Buffer[] = [];
  let waiting = 0;
  let received = 0;
  let large: LargeBody | null = null;

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
    waiting += chunk.length;
    chunks.push(chunk);
    try {
      if (received > limit) throw tooLarge(limit);
      request.state.arriving?.take(chunk.length);
      if (received < COUNTED_FROM_BYTES) return;
      request.state.largeBytes = received;
      const uncounted = large === null ? chunks : [chunk];
      large ??= { counter: createJsonCounter(), reader: createJsonReader() };
      for (const piece of uncounted) assertWithinLimits(large.counter, piece);
      if (waiting < PIECE_BYTES) return;
      readPiece(large.reader, chunks);
      waiting = 0;
    } catch (error) {
      finish(error as Error);
    }
  };
  const onEnd = () => {
    let body: unknown;
    try {
      if (large === null) body = parseSmall(chunks, received, request);
      else {
        readPiece(large.reader, chunks);
        body = asProblem(large.reader.end);
        // The pieces of its strings, while the request goes on with the whole ones.
        reportLargeGarbage(received);
      }
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

function parseSmall(chunks: readonly Buffer[], received: number, { routeOptions }: FastifyRequest): unknown {
  const [first = Buffer.alloc(0)] = chunks;
  const bytes = chunks.length > 1 ? Buffer.concat(chunks, received) : first;
  // Many clients name a content type on every request: where no body is wanted, none is missing.
  const isMissing = bytes.length === 0 && !routeOptions.config.takesBody;
  return isMissing ? undefined : parseJsonBody(bytes);
}

/** Reads chunks of a large body, and gives back their memory: the collector would leave many megabytes of them lying around. */
function readPiece(reader: JsonReader, chunks: Buffer[]): void {
  const [first] = chunks;
  if (first === undefined) return;
  const piece = chunks.length > 1 ? Buffer.concat(chunks) : first;
  asProblem(() => reader.read(piece));
  for (const { buffer, byteLength } of chunks) {
    // Small chunks share a buffer with others.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  }
  chunks.length = 0;
}

function asProblem<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new ProblemError('invalid_json', { detail: error.message });
  }
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
