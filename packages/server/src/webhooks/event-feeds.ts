import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { type FeedEntry, findFeedEntries } from '../db/queries/event-feeds.ts';
import { keepStreaming, STORED_WITHIN_MS } from '../db/queries/webhook-events.ts';

/** The pending events of one listener, as ids: the events stay in the database until they are sent. */
export interface EventFeed {
  /** The next ids, oldest first; empty after `waitMs` without any. Null if the feed has ended. */
  take(limit: number, waitMs: number): Promise<readonly string[] | null>;
  /** Whether it has ended. Everything that is sent for it from other sources must then end too. */
  isOver(): boolean;
  /** Ends it. May be called twice. */
  close(): void;
}

export interface FeedRequest {
  readonly accountId: string;
  /** Null means all. */
  readonly types: ReadonlySet<string> | null;
  /** Called twice a second. False ends the feed. */
  readonly isAllowed: () => Promise<boolean>;
}

/** Notifies listeners of their account's events, from all processes. */
export interface EventFeeds {
  /**
   * Events stored after this has resolved are in the feed. Null if the account has reached its limit of listeners, or
   * this process is shutting down. Rejects as the database does.
   */
  open(request: FeedRequest): Promise<EventFeed | null>;
  /** The number of open feeds. */
  count(): number;
  /** Ends every feed, for a shutdown. */
  close(): void;
}

/** One query serves all listeners, so its cost does not grow with them. */
const LOOK_EVERY_MS = 250;
/** Queries use at most a tenth of the time, however many events there are. */
const PAUSE_SHARE = 10;
/** Together with the time of a query, this is less than the second in which a revoked key or a removed member must lose access. */
const CHECK_EVERY_MS = 500;
/**
 * Stored events become visible when their transaction ends. So each query covers this period again, and skips events
 * that were already seen.
 */
export const LOOK_BACK_MS = STORED_WITHIN_MS;
const ENTRIES_PER_LOOK = 20_000;
const LOOK = { withinMs: LOOK_BACK_MS, limit: ENTRIES_PER_LOOK };
/** Events are stored this long after a listener's last sign of life, so that a listener that reconnects has missed none. */
const KEEP_STREAMING_MS = 600_000;
const KEEP_EVERY_MS = 60_000;
/** A listener that is further behind is disconnected: after reconnecting with its last id it finds the rest in the database. */
const MAX_WAITING = 20_000;

interface Listener {
  readonly request: FeedRequest;
  readonly waiting: string[];
  wake: (() => void) | null;
  isOver: boolean;
}

interface Account {
  readonly listeners: Set<Listener>;
  /** The result of the last query: anything found again is not new. */
  seen: ReadonlySet<string>;
  keptAtMs: number;
}

export interface EventFeedsOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly maxPerAccount: number;
  /** How far behind a listener may be. */
  readonly maxWaiting?: number;
}

export function createEventFeeds({
  sql,
  clock,
  maxPerAccount,
  maxWaiting = MAX_WAITING,
}: EventFeedsOptions): EventFeeds {
  const accounts = new Map<string, Account>();
  let isLooking = false;
  let isClosed = false;

  /** While there are any listeners. */
  async function keepLooking(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    let pauseMs = LOOK_EVERY_MS;
    let checkedMs = performance.now();
    while (accounts.size > 0) {
      await pause(pauseMs);
      const beganMs = performance.now();
      await look();
      pauseMs = Math.max(LOOK_EVERY_MS, PAUSE_SHARE * (performance.now() - beganMs));
      if (beganMs - checkedMs < CHECK_EVERY_MS) continue;
      checkedMs = beganMs;
      await check();
    }
    isLooking = false;
  }

  async function look(): Promise<void> {
    const before = new Map(accounts);
    // If the database is unavailable, the next query retries.
    const entries = await findFeedEntries(sql, [...before.keys()], LOOK).catch(() => null);
    if (entries === null) return;
    const found = Map.groupBy(entries, ({ accountId }) => accountId);
    for (const [accountId, account] of before) deliver(account, found.get(accountId) ?? []);
  }

  function deliver(account: Account, entries: readonly FeedEntry[]): void {
    const fresh = entries.filter(({ id }) => !account.seen.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
    // More events than one query returns have arrived since the last one: listeners that reconnect with their last id
    // find the rest.
    const isIncomplete = fresh.length === ENTRIES_PER_LOOK;
    account.seen = new Set(entries.map(({ id }) => id));
    for (const listener of [...account.listeners]) {
      const { types } = listener.request;
      const matching = types === null ? fresh : fresh.filter(({ type }) => types.has(type));
      for (const { id } of matching) listener.waiting.push(id);
      if (isIncomplete || listener.waiting.length > maxWaiting) end(listener);
      else if (matching.length > 0) listener.wake?.();
    }
  }

  function end(listener: Listener): void {
    listener.isOver = true;
    listener.wake?.();
    const { accountId } = listener.request;
    const account = accounts.get(accountId);
    account?.listeners.delete(listener);
    if (account?.listeners.size === 0) accounts.delete(accountId);
  }

  async function check(): Promise<void> {
    await Promise.all([...accounts].map(([accountId, account]) => keep(accountId, account)));
    const listeners = [...accounts.values()].flatMap((account) => [...account.listeners]);
    await Promise.all(
      listeners.map(async (listener) => {
        // A listener that cannot be checked stays: the next check is a second away.
        if (!(await listener.request.isAllowed().catch(() => true))) end(listener);
      }),
    );
  }

  async function keep(accountId: string, account: Account): Promise<void> {
    const nowMs = clock.now().getTime();
    if (nowMs - account.keptAtMs < KEEP_EVERY_MS) return;
    account.keptAtMs = nowMs;
    await keepStreaming(sql, accountId, KEEP_STREAMING_MS).catch(() => {
      account.keptAtMs = 0;
    });
  }

  /** All events stored up to now have been seen. */
  async function readSeen(accountId: string): Promise<ReadonlySet<string>> {
    await keepStreaming(sql, accountId, KEEP_STREAMING_MS);
    return new Set((await findFeedEntries(sql, [accountId], LOOK)).map(({ id }) => id));
  }

  /** Synchronous with what follows: an account without listeners is forgotten. */
  function join(request: FeedRequest, seen: ReadonlySet<string>): Listener | null {
    const account = accounts.get(request.accountId) ?? { listeners: new Set(), seen, keptAtMs: clock.now().getTime() };
    if (isClosed || account.listeners.size >= maxPerAccount) return null;
    accounts.set(request.accountId, account);
    const listener: Listener = { request, waiting: [], wake: null, isOver: false };
    account.listeners.add(listener);
    void keepLooking();
    return listener;
  }

  return {
    async open(request) {
      const seen = accounts.get(request.accountId)?.seen ?? (await readSeen(request.accountId));
      const listener = join(request, seen);
      if (listener === null) return null;
      return {
        take: (limit, waitMs) => take(listener, limit, waitMs),
        isOver: () => listener.isOver,
        close: () => end(listener),
      };
    },
    count: () => [...accounts.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
    close() {
      isClosed = true;
      for (const { listeners } of [...accounts.values()]) for (const listener of [...listeners]) end(listener);
    },
  };
}

async function take(listener: Listener, limit: number, waitMs: number): Promise<readonly string[] | null> {
  if (listener.waiting.length === 0 && !listener.isOver) {
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, waitMs);
      listener.wake = () => {
        clearTimeout(timeout);
        resolve();
      };
    });
    listener.wake = null;
  }
  return listener.isOver ? null : listener.waiting.splice(0, limit);
}
