import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { SMTPServerSession } from 'smtp-server';
import { atMostEvery } from '../at-most-every.ts';
import { clientOf, createClientCounts } from '../client-address.ts';
import { isAddressAllowed } from '../keys/ip-allowlist.ts';
import { SmtpRefusal } from './smtp-refusal.ts';

/** How many connections may be open at the same time, on both ports together. */
export interface SubmissionConnections {
  readonly total: number;
  /** From one address. A trusted proxy may open as many as the total. */
  readonly perAddress: number;
  /** From one address before login; a tenth of `perAddress` by default. */
  readonly waitingPerAddress?: number;
}

export interface ConnectionPlacesOptions {
  readonly connections: SubmissionConnections;
  readonly trustedProxies: readonly string[];
  /** How long a connection may take to complete the TLS handshake and start its session. */
  readonly handshakeMs: number;
  readonly logger: Logger;
}

/** Counts connections from the moment they are accepted, and decides which ones exceed the limits. */
export interface ConnectionPlaces {
  /**
   * Call this before anything else is done with a connection. Returns false if it was closed.
   * @param cutOff ends it while no session has begun
   */
  take(socket: Socket, cutOff: () => void): boolean;
  /** Why a connection cannot stay when its session begins; null if it can. */
  begin(session: SMTPServerSession): SmtpRefusal | null;
  logIn(session: SMTPServerSession): void;
  /** Call this when a session has ended: after STARTTLS only the library listens to the socket, because it removes all other listeners. */
  end(session: SMTPServerSession): void;
}

/** The share of connections, per address and in total, that may be unauthenticated: the rest is for clients with a key. */
export const WAITING_PER_ADDRESS = 0.1;
const WAITING = 0.5;
/** Refused connections stay open until they have received the reason, which over TLS requires a handshake. More are closed at once. */
const REFUSED = 64;
const REFUSED_PER_ADDRESS = 4;
const WARN_EVERY_MS = 60_000;

interface Place {
  readonly client: string;
  readonly refusal: SmtpRefusal | null;
  readonly handshake: NodeJS.Timeout;
  readonly leave: () => void;
  isLoggedIn: boolean;
}

/** Extra connections that may be open beyond the limit. */
export const REFUSED_CONNECTIONS = REFUSED;

export function createConnectionPlaces(options: ConnectionPlacesOptions): ConnectionPlaces {
  const { trustedProxies, handshakeMs, logger } = options;
  const { total, perAddress } = options.connections;
  const waitingPerAddress = options.connections.waitingPerAddress ?? Math.ceil(perAddress * WAITING_PER_ADDRESS);
  const places = new Map<string, Place>();
  const open = createTally();
  const waiting = createTally();
  const refused = createTally();
  const warn = atMostEvery(WARN_EVERY_MS, (limit: string) =>
    logger.warn({ open: open.total(), limit }, 'refusing SMTP connections: the limit on open connections is reached'),
  );

  function judge(client: string, address: string): SmtpRefusal | null {
    if (open.total() >= total || waiting.total() >= Math.ceil(total * WAITING)) return TOO_MANY;
    if (open.of(client) < perAddress && waiting.of(client) < waitingPerAddress) return null;
    return trustedProxies.length > 0 && isAddressAllowed(address, trustedProxies) ? null : TOO_MANY_OF_ADDRESS;
  }

  return {
    take(socket, cutOff) {
      const { remoteAddress: address = '', remotePort = 0 } = socket;
      const client = clientOf(address);
      const refusal = judge(client, address);
      if (refusal !== null) {
        warn(refusal === TOO_MANY ? 'total' : 'per address');
        if (refused.total() >= REFUSED || refused.of(client) >= REFUSED_PER_ADDRESS) {
          socket.destroy();
          return false;
        }
      }
      // A client that sends its handshake byte by byte never triggers the idle timeout.
      const handshake = setTimeout(cutOff, handshakeMs);
      const name = nameOf(address, remotePort);
      const tallies = refusal === null ? [open, waiting] : [refused];
      const leave = () => {
        if (places.get(name) !== place) return;
        places.delete(name);
        clearTimeout(handshake);
        for (const tally of tallies) if (tally !== waiting || !place.isLoggedIn) tally.add(client, -1);
      };
      const place: Place = { client, refusal, handshake, leave, isLoggedIn: false };
      places.set(name, place);
      for (const tally of tallies) tally.add(client, 1);
      socket.once('close', leave);
      return true;
    },
    begin({ remoteAddress, remotePort }) {
      const place = places.get(nameOf(remoteAddress, remotePort));
      clearTimeout(place?.handshake);
      return place?.refusal ?? null;
    },
    logIn({ remoteAddress, remotePort }) {
      const place = places.get(nameOf(remoteAddress, remotePort));
      if (place === undefined || place.isLoggedIn) return;
      place.isLoggedIn = true;
      waiting.add(place.client, -1);
    },
    end: ({ remoteAddress, remotePort }) => places.get(nameOf(remoteAddress, remotePort))?.leave(),
  };
}

const TOO_MANY = new SmtpRefusal(421, '4.3.2', 'Too many open connections, try again in a moment');
const TOO_MANY_OF_ADDRESS = new SmtpRefusal(
  421,
  '4.7.0',
  'Too many open connections from your address, close some or try again in a moment',
);

/** The same key for a socket and its session, which formats addresses differently. */
function nameOf(address: string, port: number): string {
  return `${clientOf(address)} ${port}`;
}

function createTally() {
  const byClient = createClientCounts();
  let sum = 0;
  return {
    total: () => sum,
    of: byClient.of,
    add(client: string, by: number) {
      sum += by;
      byClient.add(client, by);
    },
  };
}
