import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { reportLargeGarbage } from '../heap.ts';
import { ProblemError } from '../problem.ts';
import { declaredBytes } from './arriving-bodies.ts';
import { assertJsonEncoding, parseJsonBody } from './json-body.ts';
import { COUNTED_FROM_BYTES, createJsonCounter, type JsonCounter } from './json-counter.ts';
import { createJsonReader, type JsonReader, JsonTextError } from './json-reader.ts';

/** For a body that is large enough to be counted: it is parsed as it arrives, and its bytes are not kept. */
interface LargeBody {
  readonly counter: JsonCounter;
  readonly reader: JsonReader;
}

/** How much of a large body is read at a time, so that one that arrives byte by byte is not parsed byte by byte. */
const PIECE_BYTES = 32 * 1024;

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Receives and parses a JSON body. The parsing cost is counted while the body arrives: at the byte that exceeds a limit
 * it is rejected without being parsed.
 */
export function readJsonBody(request: FastifyRequest, payload: IncomingMessage, done: Done): void {
  let body: unknown;
  try {
    assertJsonEncoding(request.headers['content-type'], request.headers['content-encoding']);
    const limit = request.routeOptions.bodyLimit;
    const declared = declaredBytes(request.headers);
    if (Number.isFinite(declared) && declared > limit) throw tooLarge(limit);
    const isHere = payload.complete && payload.readableLength === declared;
    if (!isHere || declared >= COUNTED_FROM_BYTES) {
      receiveBody(request, payload, limit, done);
      return;
    }
    // Nearly every body is small, and complete by now.
    body = parseSmall(readBuffered(payload), request);
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, body);
}

function receiveBody(request: FastifyRequest, payload: IncomingMessage, limit: number, done: Done): void {
  const chunks: Buffer[] = [];
  let waiting = 0;
  let received = 0;
  let large: LargeBody | null = null;

  const finish = (error: Error | null, body?: unknown) => {
    payload.off('data', onData).off('end', onEnd).off('error', finish);
    // Chunks kept in this closure would live as long as the request.
    chunks.length = 0;
    // The stream fails again when its connection is closed, so an error listener must stay.
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
      if (large === null) body = parseSmall(Buffer.concat(chunks, received), request);
      else {
        readPiece(large.reader, chunks);
        body = asProblem(large.reader.end);
        // The pieces of its strings; the request continues with the joined ones.
        reportLargeGarbage(received);
      }
    } catch (error) {
      return finish(error as Error);
    }
    finish(null, body);
  };

  payload.on('data', onData).on('end', onEnd).on('error', finish);
}

/** Everything that the stream has buffered, which may be several chunks. */
function readBuffered(payload: IncomingMessage): Buffer {
  const chunks: Buffer[] = [];
  for (let chunk = payload.read() as Buffer | null; chunk !== null; chunk = payload.read()) chunks.push(chunk);
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}

function parseSmall(bytes: Buffer, { routeOptions }: FastifyRequest): unknown {
  // Many clients send a content type with every request: if no body is expected, an empty one is not an error.
  const isMissing = bytes.length === 0 && !routeOptions.config.acceptsBody;
  return isMissing ? undefined : parseJsonBody(bytes);
}

/** Reads chunks of a large body, and releases their memory: the garbage collector would keep many megabytes of them. */
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
    detail: `The body is larger than ${limit} bytes, the limit of this operation.`,
  });
}
