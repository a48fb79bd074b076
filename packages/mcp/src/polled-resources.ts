import { createHash } from 'node:crypto';
import { findOperation, placeArguments } from '@postrider/core';
import type { Invoke } from './invoke.ts';
import type { ResourceSubscriptions } from './resources/resource-handlers.ts';
import { parseResourceUri, type ResourceKind } from './resources/resource-kinds.ts';

export interface PolledResources extends ResourceSubscriptions {
  /** Reads the client's messages, because the library handles `subscriptions/listen` of protocol 2026-07-28 before the server does. */
  see(message: unknown): void;
  /** Sets the listener for changes from now on. */
  setListener(listener: (uri: string) => Promise<void>): void;
  /** Stops polling, so that the process can exit. */
  close(): void;
}

/** Over stdio the server cannot push changes, so resources are polled: often enough for a waiting user, and at most 120 requests a minute. */
const LOOK_EVERY_MS = 5_000;
const WATCHED_MAX = 10;

const READERS = {
  messages: 'emails.get',
  approvals: 'approvals.get',
  templates: 'templates.get',
} as const satisfies Readonly<Record<ResourceKind['name'], string>>;

/** Watches resources for one client by reading them repeatedly; sends no requests while nothing is watched. */
export function createPolledResources(invoke: Invoke, lookEveryMs = LOOK_EVERY_MS): PolledResources {
  const states = new Map<string, string | null>();
  /** The watchers of a URI: subscriptions by name, and listening requests by their id. */
  const holders = new Map<string, Set<unknown>>();
  let listener: (uri: string) => Promise<void> = async () => {};
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    for (const uri of [...holders.keys()]) {
      const state = await readState(uri, invoke);
      // Not read, or no longer watched.
      if (state === undefined || !holders.has(uri)) continue;
      const before = states.get(uri);
      states.set(uri, state);
      if (before !== undefined && before !== state) await listener(uri).catch(() => {});
    }
    isLooking = false;
  }

  function hold(uri: string, holder: unknown): void {
    if (!holders.has(uri) && holders.size >= WATCHED_MAX) {
      throw new Error(`${WATCHED_MAX} resources are watched already: unsubscribe from one first`);
    }
    holders.set(uri, (holders.get(uri) ?? new Set()).add(holder));
    // Only the client's connection keeps the process running.
    timer ??= setInterval(() => void look(), lookEveryMs).unref();
    // The current state, with which later reads are compared.
    void look();
  }

  function release(uri: string, holder: unknown): void {
    const left = holders.get(uri);
    left?.delete(holder);
    if (left?.size !== 0) return;
    holders.delete(uri);
    states.delete(uri);
    if (holders.size === 0) stop();
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  return {
    subscribe: (uri) => hold(uri, SUBSCRIBED),
    unsubscribe: (uri) => release(uri, SUBSCRIBED),
    see(message) {
      const { method, id, params } = fieldsOf(message);
      if (method === 'subscriptions/listen') {
        const uris = fieldsOf(fieldsOf(params)['notifications'])['resourceSubscriptions'];
        // Resources beyond the limit are ignored: the library has already confirmed the subscription.
        const wanted = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string').slice(0, WATCHED_MAX) : [];
        for (const uri of wanted) if (holders.has(uri) || holders.size < WATCHED_MAX) hold(uri, id);
      }
      if (method !== 'notifications/canceled') return;
      const { requestId } = fieldsOf(params);
      for (const uri of [...holders.keys()]) release(uri, requestId);
    },
    setListener: (next) => {
      listener = next;
    },
    close: stop,
  };
}

const SUBSCRIBED = Symbol('resources/subscribe');

/** A text that changes with the resource; null if it does not exist; undefined if it could not be read this time. */
async function readState(uri: string, invoke: Invoke): Promise<string | null | undefined> {
  const parsed = parseResourceUri(uri);
  if (parsed === null) return null;
  const operationId = READERS[parsed.kind.name];
  const input = placeArguments(findOperation(operationId), { id: parsed.id });
  const result = await invoke(operationId, input, {}).catch(() => null);
  if (result?.ok === true) return createHash('sha256').update(JSON.stringify(result.body)).digest('base64url');
  return result?.problem.status === 404 ? null : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
