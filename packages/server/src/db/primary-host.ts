import { Socket } from 'node:net';
import postgres from 'postgres';
import { type DatabaseHost, type DatabaseUrl, nameOf } from './database-url.ts';
import { queryOn } from './driver-query.ts';
import { readHostState } from './queries/host-state.ts';

/** Finds which of several servers accepts writes. All pools of a process share one instance, so that they agree. */
export interface PrimaryHost {
  /**
   * Queries the hosts themselves; concurrent calls share one search.
   * @throws NoPrimaryError if no host currently accepts writes
   */
  find(): Promise<FoundHost>;
  /** Calls `listener` when the primary has moved to a different host; returns a function that removes the listener. */
  onMove(listener: (to: FoundHost) => void): () => void;
  /** The URL of one host, for the user, password, database and TLS settings. */
  readonly url: string;
}

export interface FoundHost {
  readonly host: string;
  readonly port: number;
}

/** No host can be used: each is a standby, is read-only, or does not respond. */
class NoPrimaryError extends Error {
  override readonly name = 'NoPrimaryError';
  readonly code = 'NO_PRIMARY';
}

const POSTGRES_PORT = 5432;
/** If a host has not responded by then, the next one is queried too, while the first may still respond. */
const NEXT_AFTER_MS = 250;
/** Less than callers wait, so that a silent host does not use up their time. */
const PROBE_MS = 1_200;

export function createPrimaryHost(url: DatabaseUrl): PrimaryHost {
  const listeners = new Set<(to: FoundHost) => void>();
  let known: DatabaseHost | null = null;
  let looking: Promise<FoundHost> | null = null;

  async function look(): Promise<FoundHost> {
    // The last primary comes first: if two hosts accept writes, no connection moves without need.
    const inOrder = [...url.hosts].sort((a, b) => Number(b === known) - Number(a === known));
    const found = await firstOf(inOrder, (host) => probe(url, host));
    const to = placeOf(found);
    const hasMoved = known !== null && known !== found;
    known = found;
    if (hasMoved) for (const listener of [...listeners]) listener(to);
    return to;
  }

  return {
    url: url.urlOf(url.hosts[0] ?? { host: '', port: null }),
    find() {
      looking ??= look().finally(() => {
        looking = null;
      });
      return looking;
    },
    onMove(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Opens a socket to the primary for the driver (postgres.js 3.4). The driver's own list of hosts is not used: it retries forever if no host
 * can be used, and hangs behind poolers that do not report whether a server is a standby.
 */
export async function openPrimarySocket(primary: PrimaryHost, onFound: (to: FoundHost) => void): Promise<Socket> {
  const socket = new Socket();
  try {
    const to = await primary.find();
    onFound(to);
    // The driver reads the host name for TLS from the socket.
    Object.assign(socket, to);
    socket.connect(to.port, to.host);
  } catch (error) {
    // The driver's pool loses a connection that never gets a socket, but reopens one whose socket breaks.
    setImmediate(() => socket.destroy(error instanceof Error ? error : new Error(String(error))));
  }
  return socket;
}

function placeOf({ host, port }: DatabaseHost): FoundHost {
  return { host, port: port ?? POSTGRES_PORT };
}

/** Queries the hosts in order, and starts the next one as soon as one fails or does not respond for a while. */
function firstOf(hosts: readonly DatabaseHost[], ask: (host: DatabaseHost) => Promise<void>): Promise<DatabaseHost> {
  return new Promise((resolve, reject) => {
    const reasons: string[] = [];
    let asked = 0;
    let timer: NodeJS.Timeout | undefined;
    const askNext = (): void => {
      clearTimeout(timer);
      const host = hosts[asked];
      if (host === undefined) return;
      asked += 1;
      timer = setTimeout(askNext, NEXT_AFTER_MS);
      ask(host).then(
        () => {
          clearTimeout(timer);
          resolve(host);
        },
        (error: unknown) => {
          reasons.push(`${nameOf(host)}: ${error instanceof Error ? error.message : String(error)}`);
          if (reasons.length === hosts.length)
            reject(new NoPrimaryError(`No host accepts writes (${reasons.join('; ')})`));
          else askNext();
        },
      );
    };
    askNext();
  });
}

/** @throws an error that says why the host cannot be used */
async function probe(url: DatabaseUrl, host: DatabaseHost): Promise<void> {
  const driver = postgres(url.urlOf(host), {
    max: 1,
    connect_timeout: 1,
    fetch_types: false,
    connection: { application_name: 'postrider-primary' },
    onnotice: () => undefined,
  });
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('did not respond')), PROBE_MS);
  });
  try {
    const asked = readHostState({ run: async (text, parameters) => await queryOn(driver, text, parameters) });
    const state = await Promise.race([asked, tooLate]);
    if (state?.isStandby !== false) throw new Error('is a standby');
    if (state.isReadOnly && url.sessionAttributes !== 'primary') throw new Error('is read only');
  } finally {
    clearTimeout(timer);
    void driver.end({ timeout: 0 });
  }
}
