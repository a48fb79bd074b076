import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { LIMITS } from '@postrider/core';
import type { FastifyRequest } from 'fastify';
import { type ClientCounts, clientOf, createClientCounts } from '../client-address.ts';
import { ProblemError } from '../problem.ts';

/** A body that was not complete when the server began to read it. */
export interface ArrivingBody {
  /** Counts bytes that have arrived. @throws ProblemError where too many are held in memory already */
  take(bytes: number): void;
}

/** Bounds how many bodies arrive at the same time, and the memory they take until they are complete. */
export interface ArrivingBodies {
  /** Counts the body of a request until it is complete or the client has gone. @throws ProblemError where too many arrive already */
  admit(request: FastifyRequest): ArrivingBody;
}

/** The first bytes of every body are not counted, so that large bodies can never keep ordinary requests out. */
const FREE_BYTES = 64 * 1024;

interface Group {
  readonly total: number;
  readonly perAddress: number;
  open: number;
  readonly byClient: ClientCounts;
}

/** Bodies of requests without a key are counted apart: they cannot keep out those with one. */
export function createArrivingBodies(): ArrivingBodies {
  const anonymous = newGroup(LIMITS.anonymousUnfinishedBodies, LIMITS.anonymousUnfinishedBodiesPerAddress);
  const keyed = newGroup(LIMITS.unfinishedBodies, LIMITS.unfinishedBodiesPerAddress);
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
      onceOver(raw, () => {
        group.open -= 1;
        group.byClient.add(client, -1);
        bytesHeld -= counted;
        bytesByClient.add(client, -counted);
      });
      return {
        take(bytes) {
          received += bytes;
          const more = Math.max(0, received - FREE_BYTES) - counted;
          if (bytesHeld + more > LIMITS.unfinishedBodyBytes) throw tooMuch('The server is receiving');
          if (bytesByClient.of(client) + more > LIMITS.unfinishedBodyBytesPerAddress)
            throw tooMuch('Your address is sending');
          counted += more;
          bytesHeld += more;
          bytesByClient.add(client, more);
        },
      };
    },
  };
}

/** Whether a request has a body of which something is still to be received. */
export function isBodyArriving(request: IncomingMessage): boolean {
  return !request.complete && declaredBytes(request.headers) > 0;
}

/** The length of a body as its head declares it; Infinity for one sent in chunks. */
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
      detail: `This address has ${perAddress} requests whose bodies have not arrived yet.`,
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
 * Runs once, when the body has been read or cannot be read any more. A request that was responded to before its body had arrived is told
 * neither: Node forgets it with the response. Only its connection says that it is over.
 */
function onceOver(request: IncomingMessage, done: () => void): void {
  const { socket } = request;
  const finish = () => {
    request.off('end', finish).off('close', finish);
    socket.off('close', finish);
    done();
  };
  request.once('end', finish).once('close', finish);
  socket.once('close', finish);
}
