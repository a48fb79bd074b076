import { Socket } from 'node:net';
import postgres from 'postgres';
import { type DatabaseHost, type DatabaseUrl, nameOf } from './database-url.ts';
import { queryOn } from './driver-query.ts';
import { readHostState } from './queries/host-state.ts';

/** Where the server is, of several, that takes writes. One for all pools of a process, so that they agree. */
export interface PrimaryHost {
  /**
   * Asks the hosts themselves; calls at the same time share one look.
   * @throws NoPrimaryError where none of them takes writes at present
   */
  find(): Promise<FoundHost>;
  /** Calls `listener` when another host than before is found; returns a function that stops it. */
  onMove(listener: (to: FoundHost) => void): () => void;
  /** A URL of one host, for what else it says: user, password, database, TLS. */
  readonly url: string;
}

export interface FoundHost {
  readonly host: string;
  readonly port: number;
}

/** None of the hosts can be used: each is a standby, read only, or gives no answer. */
class NoPrimaryError extends Error {
  override readonly name = 'NoPrimaryError';
  readonly code = 'NO_PRIMARY';
}

const POSTGRES_PORT = 5432;
/** A host that has not answered by now is still waited for, and the next one is asked beside it. */
const NEXT_AFTER_MS = 250;
/** Less than callers wait: a host that is silent must not use up their time. */
const PROBE_MS = 1_200;

export function createPrimaryHost(url: DatabaseUrl): PrimaryHost {
  const listeners = new Set<(to: FoundHost) => void>();
  let known: DatabaseHost | null = null;
  let looking: Promise<FoundHost> | null = null;

  async function look(): Promise<FoundHost> {
    // The one that was used last comes first: if two accept writes, no connection moves without need.
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
 * A socket to the primary, for the driver (postgres.js 3.4). Its own list of hosts is not used: it asks them in turn for ever where none can be
 * used, and hangs behind poolers that do not report whether a server is a standby.
 */
export async function openPrimarySocket(primary: PrimaryHost, onFound: (to: FoundHost) => void): Promise<Socket> {
  const socket = new Socket();
  try {
    const to = await primary.find();
    onFound(to);
    // The driver reads the name for TLS from the socket.
    Object.assign(socket, to);
    socket.connect(to.port, to.host);
  } catch (error) {
    // A connection that gets no socket at all is lost to the driver's pool; one that breaks is opened again.
    setImmediate(() => socket.destroy(error instanceof Error ? error : new Error(String(error))));
  }
  return socket;
}

function placeOf({ host, port }: DatabaseHost): FoundHost {
  return { host, port: port ?? POSTGRES_PORT };
}

/** Asks one after the other, the next as soon as one says no, or says nothing for a while. */
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
            reject(new NoPrimaryError(`No host takes writes (${reasons.join('; ')})`));
          else askNext();
        },
      );
    };
    askNext();
  });
}

/** @throws what is wrong with the host */
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
    timer = setTimeout(() => reject(new Error('gives no answer')), PROBE_MS);
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
