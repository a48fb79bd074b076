import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { atMostEvery } from '../at-most-every.ts';
import { clientOf, createClientCounts } from '../client-address.ts';
import { isAddressAllowed } from '../keys/ip-allowlist.ts';

/** How many connections may be open at the same time. */
export interface ConnectionLimits {
  readonly total: number;
  /** From one address. A trusted proxy may open as many as the total. */
  readonly perAddress: number;
}

interface ConnectionLimitOptions {
  readonly trustedProxies: readonly string[];
  readonly logger: Logger;
}

interface Connection {
  readonly socket: Socket;
  /** Requests without a complete response. */
  requests: number;
  waitsSinceMs: number;
  readonly leave: () => void;
}

const WARN_EVERY_MS = 60_000;
/** A connection that has waited for less time is not closed, because its request may be in transit. */
const LEAST_WAIT_MS = 1_000;

/**
 * Closes connections beyond the limits as soon as they are opened. At the total limit, closes the one that has been without a request for
 * the longest time, whether it is kept alive, has sent nothing, or sends its first bytes slowly. Its client reconnects when needed.
 */
export function limitConnections(
  server: Server,
  { total, perAddress }: ConnectionLimits,
  { trustedProxies, logger }: ConnectionLimitOptions,
): void {
  const byClient = createClientCounts();
  const bySocket = new WeakMap<Socket, Connection>();
  /** Connections without a request; the one that has waited the longest is first. */
  const waiting = new Set<Connection>();
  let open = 0;
  const warn = atMostEvery(WARN_EVERY_MS, (limit: string) =>
    logger.warn({ open, limit }, 'refusing connections: the limit on open connections is reached'),
  );

  function makeRoom(): void {
    const [longest] = waiting;
    if (longest === undefined || performance.now() - longest.waitsSinceMs < LEAST_WAIT_MS) return;
    longest.leave();
    longest.socket.destroy();
  }

  function wait(connection: Connection): void {
    connection.waitsSinceMs = performance.now();
    waiting.add(connection);
  }

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const client = clientOf(address);
    const isProxy = () => trustedProxies.length > 0 && isAddressAllowed(address, trustedProxies);
    if (byClient.of(client) >= perAddress && !isProxy()) return refuse(socket, 'per address');
    if (open >= total) makeRoom();
    if (open >= total) return refuse(socket, 'total');
    open += 1;
    byClient.add(client, 1);
    let isOpen = true;
    const leave = () => {
      if (!isOpen) return;
      isOpen = false;
      open -= 1;
      byClient.add(client, -1);
      waiting.delete(connection);
    };
    const connection: Connection = { socket, requests: 0, waitsSinceMs: 0, leave };
    bySocket.set(socket, connection);
    wait(connection);
    socket.once('close', leave);
  });

  function refuse(socket: Socket, limit: string): void {
    warn(limit);
    socket.destroy();
  }

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = bySocket.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    waiting.delete(connection);
    response.once('close', () => {
      connection.requests -= 1;
      if (connection.requests === 0 && !socket.destroyed) wait(connection);
    });
  });
}
