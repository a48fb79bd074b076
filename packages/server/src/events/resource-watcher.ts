import type { ResourceWatch } from '@postrider/mcp';
import type { Sql } from '../db/client.ts';
import { readResourceStates, type WatchedResource } from '../db/queries/watched-resources.ts';

export interface WatchedUri extends WatchedResource {
  readonly uri: string;
}

export interface WatchRequest {
  readonly accountId: string;
  readonly resources: readonly WatchedUri[];
  /** Called twice a second. False ends the watch. */
  readonly isAllowed: () => Promise<boolean>;
}

/** Notifies agents when a resource they follow has changed, in whichever process. */
export interface ResourceWatcher {
  /**
   * Null if the account has reached its limit of watches, or this process is shutting down.
   * @throws what the database throws
   */
  open(request: WatchRequest): Promise<ResourceWatch | null>;
  /** Ends every watch, for a shutdown. */
  close(): void;
}

/** One query serves all watches, so its cost does not grow with them. Without watches there is no query (docs/decisions/0027). */
const LOOK_EVERY_MS = 250;
/** Together with the time of a query, this is less than the second in which a revoked key or a removed member must lose access. */
const CHECK_EVERY_MS = 500;

interface Watching {
  readonly request: WatchRequest;
  readonly states: Map<string, string | null>;
  readonly onChange: (uri: string) => void;
  readonly onEnd: () => void;
}

export function createResourceWatcher(
  sql: Sql,
  { maxPerAccount }: { readonly maxPerAccount: number },
): ResourceWatcher {
  const watches = new Set<Watching>();
  /** Open watches of each account, including those that have not started yet. */
  const counts = new Map<string, number>();
  let pollTimer: NodeJS.Timeout | null = null;
  let checker: NodeJS.Timeout | null = null;
  let isLooking = false;
  let isClosed = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      const before = [...watches];
      const states = await readStates(
        sql,
        before.flatMap(({ request }) => request.resources),
      );
      for (const watching of before)
        if (watches.has(watching)) notify(watching, states.splice(0, watching.states.size));
        else states.splice(0, watching.states.size);
    } catch {
      // If the database is unavailable, the next poll retries.
    } finally {
      isLooking = false;
    }
  }

  async function check(): Promise<void> {
    for (const watching of [...watches]) {
      const isAllowed = await watching.request.isAllowed().catch(() => true);
      if (!isAllowed) watching.onEnd();
    }
  }

  function keepLooking(): void {
    if (watches.size > 0) {
      pollTimer ??= setInterval(() => void look(), LOOK_EVERY_MS);
      checker ??= setInterval(() => void check(), CHECK_EVERY_MS);
      return;
    }
    if (pollTimer !== null) clearInterval(pollTimer);
    if (checker !== null) clearInterval(checker);
    pollTimer = null;
    checker = null;
  }

  /** Synchronous, so that two concurrent requests do not both get the last place. */
  function reserveWatch(accountId: string): boolean {
    const count = counts.get(accountId) ?? 0;
    if (isClosed || count >= maxPerAccount) return false;
    counts.set(accountId, count + 1);
    return true;
  }

  function leave(accountId: string): void {
    const count = (counts.get(accountId) ?? 1) - 1;
    if (count === 0) counts.delete(accountId);
    else counts.set(accountId, count);
  }

  return {
    async open(request) {
      const { accountId, resources } = request;
      if (!reserveWatch(accountId)) return null;
      const found = await readStates(sql, resources).catch((error: unknown) => {
        leave(accountId);
        throw error;
      });
      const states = new Map(resources.map(({ uri }, index) => [uri, found[index] ?? null]));
      let watching: Watching | null = null;
      let isOpen = true;
      return {
        start(onChange, onEnd) {
          watching = { request, states, onChange, onEnd };
          if (isOpen && isClosed) onEnd();
          else if (isOpen) watches.add(watching);
          keepLooking();
        },
        close() {
          if (!isOpen) return;
          isOpen = false;
          if (watching !== null) watches.delete(watching);
          leave(accountId);
          keepLooking();
        },
      };
    },
    close() {
      isClosed = true;
      for (const { onEnd } of [...watches]) onEnd();
    },
  };
}

/** In the order of the resources; null if a resource does not exist. */
async function readStates(sql: Sql, resources: readonly WatchedUri[]): Promise<(string | null)[]> {
  const states: (string | null)[] = resources.map(() => null);
  if (resources.length === 0) return states;
  for (const { index, state } of await readResourceStates(sql, resources)) states[index] = state;
  return states;
}

function notify({ request, states, onChange }: Watching, found: readonly (string | null)[]): void {
  for (const [index, { uri }] of request.resources.entries()) {
    const state = found[index] ?? null;
    if (states.get(uri) === state) continue;
    states.set(uri, state);
    onChange(uri);
  }
}
