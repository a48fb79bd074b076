import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { LIMITS } from '@postrider/core';
import type { FastifyRequest } from 'fastify';
import { type ClientCounts, clientOf, createClientCounts } from '../client-address.ts';
import { ProblemError } from '../problem.ts';
import { clientShareOf, shareOf } from '../process-share.ts';

/** A body that was incomplete when the server started to read it. */
export interface ArrivingBody {
  /** Counts received bytes. @throws ProblemError if too many are in memory already */
  take(bytes: number): void;
}

/** Limits how many bodies arrive at the same time, and the memory they use until they are complete. */
export interface ArrivingBodies {
  /** Counts the body of a request until it is complete or the client disconnects. @throws ProblemError if too many are arriving already */
  admit(request: FastifyRequest): ArrivingBody;
}

/** The first bytes of every body are not counted, so that large bodies can never block ordinary requests. */
const FREE_BYTES = 64 * 1024;

interface Group {
  readonly total: number;
  readonly perAddress: number;
  open: number;
  readonly byClient: ClientCounts;
}

/**
 * Bodies of requests without a key are counted separately, so that they cannot block those with a key.
 * @param processes how many processes of this server share the limits
 */
export function createArrivingBodies(processes: number): ArrivingBodies {
  const share = (limit: number, least?: number) => shareOf(limit, processes, least);
  const group = (total: number, perAddress: number) => newGroup(share(total), clientShareOf(perAddress, processes));
  const anonymous = group(LIMITS.anonymousUnfinishedBodies, LIMITS.anonymousUnfinishedBodiesPerAddress);
  const keyed = group(LIMITS.unfinishedBodies, LIMITS.unfinishedBodiesPerAddress);
  // The largest body must always fit.
  const maxBytes = share(LIMITS.unfinishedBodyBytes, LIMITS.sendBodyBytes);
  const maxBytesOfAddress = share(LIMITS.unfinishedBodyBytesPerAddress, LIMITS.sendBodyBytes);
  const bytesByClient = createClientCounts();
  let bytesHeld = 0;

  return {
    admit({ raw, ip, state }) {
      const group = state.caller === null ? anonymous : keyed;
      const client = clientOf(ip);
      assertRoom(group, client);
      group.open += 1;
      group.byClient.add(client, 1);
      let received = 0;
      let counted = 0;
      onceEnded(raw, () => {
        group.open -= 1;
        group.byClient.add(client, -1);
        bytesHeld -= counted;
        bytesByClient.add(client, -counted);
      });
      return {
        take(bytes) {
          received += bytes;
          const more = Math.max(0, received - FREE_BYTES) - counted;
          if (bytesHeld + more > maxBytes) throw tooMuch('The server is receiving');
          if (bytesByClient.of(client) + more > maxBytesOfAddress) throw tooMuch('Your address is sending');
          counted += more;
          bytesHeld += more;
          bytesByClient.add(client, more);
        },
      };
    },
  };
}

/** Whether a request has a body that has not been received completely. */
export function isBodyArriving(request: IncomingMessage): boolean {
  return !request.complete && declaredBytes(request.headers) > 0;
}

/** The body length that the header declares; Infinity for a chunked body. */
export function declaredBytes(headers: IncomingHttpHeaders): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return headers['content-length'] === undefined ? 0 : Number(headers['content-length']);
}

function newGroup(total: number, perAddress: number): Group {
  return { total, perAddress, open: 0, byClient: createClientCounts() };
}

function assertRoom({ open, total, byClient, perAddress }: Group, client: string): void {
  if (byClient.of(client) >= perAddress) {
    throw new ProblemError('rate_limited', {
      detail: `This address has ${perAddress} requests whose bodies are incomplete.`,
      fix: 'Send fewer requests at the same time, and send each body without pauses.',
      headers: { 'retry-after': '1' },
    });
  }
  if (open < total) return;
  throw new ProblemError('unavailable', {
    detail: `The server is receiving ${total} bodies at the same time.`,
    headers: { 'retry-after': '1' },
  });
}

function tooMuch(who: string): ProblemError {
  return new ProblemError('unavailable', {
    detail: `${who} too many large bodies at the same time.`,
    headers: { 'retry-after': '1' },
  });
}

/**
 * Runs once, when the body has been read or cannot be read any more. If the response was sent before the body arrived,
 * neither event is emitted, because Node forgets the request with the response. Only its connection reports the end.
 */
function onceEnded(request: IncomingMessage, done: () => void): void {
  const { socket } = request;
  const finish = () => {
    request.off('end', finish).off('close', finish);
    socket.off('close', finish);
    done();
  };
  request.once('end', finish).once('close', finish);
  socket.once('close', finish);
}
