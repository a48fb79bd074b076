import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { LIMITS } from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { atMostEvery } from '../at-most-every.ts';
import { clientOf, createClientCounts } from '../client-address.ts';
import { shareOf } from '../process-share.ts';

interface UnreadResponseOptions {
  /** How many processes of this server share the limits. */
  readonly processes: number;
  /** A client that reads nothing for this long, although there is something to read, is disconnected. */
  readonly stalledMs: number;
  /** How often connections are checked for it. */
  readonly lookEveryMs: number;
  readonly logger: Logger;
}

interface Connection {
  readonly socket: Socket;
  /** The client of the counted responses. */
  client: string;
  /** Responses in memory, with the bytes that each is counted with. */
  readonly responses: Map<ServerResponse, Unread>;
  bytes: number;
  /** The bytes that the operating system had accepted at the last check. */
  delivered: number;
  /** When the client last read something, or began to have something to read. */
  sinceMs: number;
}

interface Unread {
  bytes: number;
  /** Of a response that is created while it is sent: what is in memory now. Null if its size never changes. */
  readonly measure: (() => number) | null;
}

/** A response of this size is not counted, unless an earlier one on its connection is unread: nearly all cost nothing here. */
const FREE_BYTES = 16 * 1024;
const WARN_EVERY_MS = 60_000;

/**
 * Limits the memory of responses that their clients do not read. Beyond the limit, the connections are closed whose clients have
 * read nothing for the longest time. New responses are not refused, because their requests have taken effect already.
 */
export function limitUnreadResponses(
  app: FastifyInstance,
  { processes, stalledMs, lookEveryMs, logger }: UnreadResponseOptions,
): void {
  const maxBytes = shareOf(LIMITS.unreadResponseBytes, processes, LIMITS.sendBodyBytes);
  const maxBytesOfAddress = shareOf(LIMITS.unreadResponseBytesPerAddress, processes, LIMITS.sendBodyBytes);
  const connections = new Map<Socket, Connection>();
  const bytesByClient = createClientCounts();
  let bytesHeld = 0;
  const warn = atMostEvery(WARN_EVERY_MS, (limit: string) =>
    logger.warn({ bytes: bytesHeld, limit }, 'closing connections: their clients do not read the responses'),
  );

  function count(connection: Connection, bytes: number): void {
    connection.bytes += bytes;
    bytesHeld += bytes;
    bytesByClient.add(connection.client, bytes);
  }

  function forget(connection: Connection): void {
    if (connections.delete(connection.socket)) count(connection, -connection.bytes);
  }

  function close(connection: Connection): void {
    forget(connection);
    // Without a reset, the operating system would keep its part of the response.
    connection.socket.resetAndDestroy();
  }

  function makeRoom(newest: Connection): void {
    while (bytesHeld > maxBytes && closeOldest('total', newest, () => true));
    const isOfClient = ({ client }: Connection) => client === newest.client;
    while (bytesByClient.of(newest.client) > maxBytesOfAddress && closeOldest('per address', newest, isOfClient));
  }

  /** Returns false if there is none. A single response can always be sent, however large it is. */
  function closeOldest(limit: string, newest: Connection, isConcerned: (connection: Connection) => boolean): boolean {
    let oldest: Connection | null = null;
    for (const connection of connections.values()) {
      if (connection.bytes === 0 || !isConcerned(connection)) continue;
      if (connection === newest && connection.responses.size === 1) continue;
      if (oldest === null || connection.sinceMs < oldest.sinceMs) oldest = connection;
    }
    if (oldest === null) return false;
    warn(limit);
    close(oldest);
    return true;
  }

  function add(connection: Connection, { ip }: FastifyRequest, raw: ServerResponse, unread: Unread): void {
    if (connection.responses.size === 0) connection.client = clientOf(ip);
    if (connection.bytes === 0) connection.sinceMs = performance.now();
    connection.responses.set(raw, unread);
    count(connection, unread.bytes);
    // Node emits nothing for a response whose connection closes before its turn, but then the connection is forgotten.
    raw.once('close', () => {
      connection.responses.delete(raw);
      if (connections.has(connection.socket)) count(connection, -unread.bytes);
    });
    makeRoom(connection);
  }

  function look(): void {
    const nowMs = performance.now();
    for (const connection of connections.values()) {
      for (const unread of connection.responses.values()) {
        if (unread.measure === null) continue;
        const bytes = unread.measure();
        count(connection, bytes - unread.bytes);
        unread.bytes = bytes;
      }
      const hasUnread = connection.socket.writableLength > 0;
      const isIdle = !hasUnread && connection.bytes === 0;
      const delivered = isIdle ? connection.delivered : deliveredBytes(connection.socket);
      if (isIdle || delivered !== connection.delivered) {
        connection.delivered = delivered;
        connection.sinceMs = nowMs;
      } else if (hasUnread && nowMs - connection.sinceMs >= stalledMs) close(connection);
    }
    for (const connection of connections.values()) if (connection.bytes > 0) makeRoom(connection);
  }

  app.server.on('connection', (socket: Socket) => {
    const connection = {
      ...{ socket, client: '', responses: new Map(), bytes: 0 },
      ...{ delivered: 0, sinceMs: performance.now() },
    };
    connections.set(socket, connection);
    socket.once('close', () => forget(connection));
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const unread = unreadOf(request, reply, payload);
    const connection = unread === null ? undefined : connections.get(request.raw.socket);
    if (unread !== null && connection !== undefined) add(connection, request, reply.raw, unread);
    done(null, payload);
  });
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer);
    done();
  });
}

/** Null if the response need not be counted. */
function unreadOf({ state }: FastifyRequest, { raw }: FastifyReply, payload: unknown): Unread | null {
  // Node handles pipelined requests at once. It gives a response its connection when all earlier ones are sent.
  const free = raw.socket === null ? 0 : FREE_BYTES;
  if (typeof payload === 'string') {
    return payload.length > free ? { bytes: Buffer.byteLength(payload), measure: null } : null;
  }
  if (payload instanceof Uint8Array) return payload.length > free ? { bytes: payload.length, measure: null } : null;
  if (payload === null || payload === undefined) return null;
  if (state?.heldBytes > 0) return { bytes: state.heldBytes, measure: null };
  const source = payload instanceof Readable ? payload : null;
  return { bytes: 0, measure: () => raw.writableLength + (source?.readableLength ?? 0) };
}

/**
 * How many bytes the operating system has accepted. Node counts a write as a whole when it ends, but one may take minutes: its parts
 * are only known to the handle, which Node's own time limits use in the same way. Not a number, and never stalled, without it.
 */
function deliveredBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle?: Partial<Record<string, unknown>> | null };
  return Number(handle?.['bytesWritten']) - Number(handle?.['writeQueueSize']);
}
