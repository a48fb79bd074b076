import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { closeServer } from './scripted-smtp-server.ts';

/** The simulated network faults. Every field can be changed while connections are open, and applies from the next byte on. */
export interface TcpFaults {
  /** Delays each chunk by this time, in both directions. */
  delayMs: number;
  /** Closes both sides after this many bytes from the client; null: never. */
  cutAfterToTarget: number | null;
  /** The same for bytes from the target. */
  cutAfterToClient: number | null;
  /** How connections are closed: `close` sends FIN on both sides, `reset` sends RST. */
  cutBy: 'close' | 'reset';
  /** Connections are accepted and stay open, but no data passes, not even a close. */
  halfOpen: boolean;
  /** New connections are dropped immediately. */
  refuse: boolean;
}

export interface TcpFaultProxy {
  readonly port: number;
  /** Can be read and changed at any time. */
  readonly faults: TcpFaults;
  readonly connections: number;
  readonly openConnections: number;
  /** Aborts every open connection with RST on both sides. */
  reset(): void;
  /** Closes every open connection with FIN. */
  cut(): void;
  close(): Promise<void>;
}

export interface TcpFaultProxyOptions {
  readonly targetPort: number;
  readonly targetHost?: string;
  readonly faults?: Partial<TcpFaults>;
  /** The listening port on 127.0.0.1. Default: any free one. */
  readonly port?: number;
  readonly host?: string;
}

interface Pair {
  readonly client: Socket;
  readonly target: Socket;
}

const NO_FAULTS: TcpFaults = {
  delayMs: 0,
  cutAfterToTarget: null,
  cutAfterToClient: null,
  cutBy: 'close',
  halfOpen: false,
  refuse: false,
};

/** A proxy on loopback that forwards bytes until a fault is set. */
export async function startFaultProxy(options: TcpFaultProxyOptions): Promise<TcpFaultProxy> {
  const faults: TcpFaults = { ...NO_FAULTS, ...options.faults };
  const pairs = new Set<Pair>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    sockets.add(client.once('close', () => sockets.delete(client)));
    client.on('error', () => undefined);
    if (faults.refuse) {
      client.resetAndDestroy();
      return;
    }
    const target = connect(options.targetPort, options.targetHost ?? '127.0.0.1');
    sockets.add(target.once('close', () => sockets.delete(target)));
    target.on('error', () => undefined);
    join({ client, target }, faults, pairs);
  });
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // A TCP server that listens has no other kind of address.
    faults,
    get connections() {
      return connections;
    },
    get openConnections() {
      return pairs.size;
    },
    reset: () => {
      for (const pair of pairs) sever(pair, 'reset');
    },
    cut: () => {
      for (const pair of pairs) sever(pair, 'close');
    },
    close: () => closeServer(server, sockets),
  };
}

function join(pair: Pair, faults: TcpFaults, pairs: Set<Pair>): void {
  const { client, target } = pair;
  pairs.add(pair);
  client.setNoDelay(true);
  target.setNoDelay(true);
  pass(pair, client, target, faults, () => faults.cutAfterToTarget);
  pass(pair, target, client, faults, () => faults.cutAfterToClient);
  const part = (socket: Socket, other: Socket) => {
    socket.once('close', (hadError) => {
      pairs.delete(pair);
      if (faults.halfOpen) return;
      if (hadError) other.resetAndDestroy();
      else other.end();
    });
  };
  part(client, target);
  part(target, client);
}

/** Forwards bytes in one direction, in order, also when they are delayed. */
function pass(pair: Pair, from: Socket, to: Socket, faults: TcpFaults, limit: () => number | null): void {
  let passed = 0;
  let last: Promise<void> = Promise.resolve();
  const forward = (chunk: Buffer) => {
    if (faults.halfOpen || to.destroyed) return;
    const cutAfter = limit();
    const room = cutAfter === null ? chunk.length : Math.max(0, cutAfter - passed);
    passed += chunk.length;
    if (room > 0) to.write(chunk.subarray(0, room));
    if (cutAfter !== null && passed >= cutAfter) sever(pair, faults.cutBy);
  };
  from.on('data', (chunk: Buffer) => {
    const held = faults.delayMs > 0 ? sleep(faults.delayMs) : null;
    last = last.then(() => held ?? undefined).then(() => forward(chunk));
  });
  from.on('end', () => {
    last = last.then(() => {
      if (!faults.halfOpen) to.end();
    });
  });
}

function sever({ client, target }: Pair, by: 'close' | 'reset'): void {
  for (const socket of [client, target]) {
    if (by === 'reset') socket.resetAndDestroy();
    else socket.destroySoon();
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
