import { createSemaphore } from '../semaphore.ts';
import type { PoolResult } from '../smtp-client/server-try.ts';
import type { SmtpConnection } from '../smtp-client/smtp-connection.ts';
import { SmtpFault } from '../smtp-client/smtp-fault.ts';
import type { SmtpMessage } from '../smtp-client/smtp-message.ts';
import { SmtpPool } from '../smtp-client/smtp-pool.ts';

/** One address of a mail server. Messages to the same address and the same kind of TLS check share connections. */
export interface ServerAddress {
  readonly host: string;
  readonly address: string;
  /** Whether the server must authenticate with its certificate. */
  readonly isVerified: boolean;
}

export interface DirectPoolsOptions {
  readonly open: (server: ServerAddress) => Promise<SmtpConnection>;
  /** The most connections in total. */
  readonly maxSockets: number;
  readonly maxPerServer: number;
}

export interface DirectPools {
  /** Sends a prepared message. Never rejects. */
  carry(server: ServerAddress, message: SmtpMessage): Promise<PoolResult>;
  /** True if a connection to the host, or to this address of it, is open and idle. */
  hasIdle(host: string, isVerified: boolean, address?: string): boolean;
  abort(): void;
  close(): Promise<void>;
}

/** Pools without a connection are dropped once there are this many. */
const SWEEP_AT = 500;

const CLOSING = new SmtpFault('lost', 'The connections to mail servers are closing.');

/** A pool for each server address, and one limit for all of them: when it is reached, idle connections are closed for new ones. */
export function createDirectPools({ open, maxSockets, maxPerServer }: DirectPoolsOptions): DirectPools {
  /** By host, then by address. */
  const hosts = new Map<string, Map<string, SmtpPool>>();
  const sockets = createSemaphore(maxSockets);
  let taken = 0;
  let isClosed = false;

  function poolOf(server: ServerAddress): SmtpPool {
    const known = hosts.get(keyOf(server.host, server.isVerified))?.get(server.address);
    if (known !== undefined) return known;
    if (hosts.size >= SWEEP_AT) sweep();
    const pool = new SmtpPool({ open: (isWanted) => openWithPermit(server, isWanted), maxConnections: maxPerServer });
    const pools = hosts.get(keyOf(server.host, server.isVerified)) ?? new Map<string, SmtpPool>();
    hosts.set(keyOf(server.host, server.isVerified), pools.set(server.address, pool));
    return pool;
  }

  function sweep(): void {
    for (const [key, pools] of hosts) {
      for (const [address, pool] of pools) if (pool.isUnused) pools.delete(address);
      if (pools.size === 0) hosts.delete(key);
    }
  }

  function listPools(): readonly SmtpPool[] {
    return [...hosts.values()].flatMap((pools) => [...pools.values()]);
  }

  async function openWithPermit(server: ServerAddress, isWanted: () => boolean): Promise<SmtpConnection | null> {
    taken += 1;
    makeRoom();
    const release = await sockets.acquire();
    const giveBack = () => {
      taken -= 1;
      release();
    };
    try {
      if (isClosed) throw CLOSING;
      if (!isWanted()) {
        giveBack();
        return null;
      }
      const connection = await open(server);
      void connection.closed.then(giveBack);
      // It may find no work any more, and others may wait for a connection.
      setImmediate(makeRoom);
      return connection;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Closes one idle connection for each connection that is needed beyond the limit. */
  function makeRoom(): void {
    let missing = taken - maxSockets;
    if (missing <= 0) return;
    for (const pool of listPools()) {
      while (missing > 0 && pool.closeIdle()) missing -= 1;
      if (missing <= 0) return;
    }
  }

  return {
    async carry(server, message) {
      if (isClosed) return { kind: 'unopened', fault: CLOSING };
      const result = await poolOf(server).carry(message);
      makeRoom();
      return result;
    },
    hasIdle(host, isVerified, address) {
      const pools = hosts.get(keyOf(host, isVerified));
      if (address !== undefined) return pools?.get(address)?.hasIdle === true;
      return pools !== undefined && [...pools.values()].some((pool) => pool.hasIdle);
    },
    abort() {
      isClosed = true;
      for (const pool of listPools()) pool.abort();
    },
    async close() {
      isClosed = true;
      await Promise.all(listPools().map((pool) => pool.close()));
    },
  };
}

function keyOf(host: string, isVerified: boolean): string {
  return `${host} ${isVerified ? 'verified' : 'any'}`;
}
