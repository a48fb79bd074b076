import type { Server } from 'node:http';
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

const WARN_EVERY_MS = 60_000;
/** The minimum time between searches for idle connections, because a search visits all of them. */
const MAKE_ROOM_EVERY_MS = 1_000;

/**
 * Closes connections beyond the limits as soon as they are opened. If all are in use, idle keep-alive connections are
 * closed to make room: their clients reconnect when needed.
 */
export function limitConnections(
  server: Server,
  { total, perAddress }: ConnectionLimits,
  { trustedProxies, logger }: ConnectionLimitOptions,
): void {
  const byClient = createClientCounts();
  let open = 0;
  const warn = atMostEvery(WARN_EVERY_MS, (limit: string) =>
    logger.warn({ open, limit }, 'refusing connections: the limit on open connections is reached'),
  );
  const makeRoom = atMostEvery(MAKE_ROOM_EVERY_MS, () => server.closeIdleConnections());

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const client = clientOf(address);
    if (open >= total) makeRoom();
    const isProxy = () => trustedProxies.length > 0 && isAddressAllowed(address, trustedProxies);
    const exceeded = open >= total ? 'total' : byClient.of(client) >= perAddress && !isProxy() ? 'per address' : null;
    if (exceeded !== null) {
      warn(exceeded);
      socket.destroy();
      return;
    }
    open += 1;
    byClient.add(client, 1);
    socket.once('close', () => {
      open -= 1;
      byClient.add(client, -1);
    });
  });
}
