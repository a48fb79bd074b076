import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { type FeedEntry, findFeedEntries } from '../db/queries/event-feeds.ts';
import { keepStreaming, STORED_WITHIN_MS } from '../db/queries/webhook-events.ts';

/** What one listener has still to be told of, as ids: the events themselves stay in the database until they are sent. */
export interface EventFeed {
  /** The next ids, oldest first; empty after `waitMs` without any. Null where the feed is over. */
  take(limit: number, waitMs: number): Promise<readonly string[] | null>;
  /** Whether it has ended: what is sent from elsewhere ends with it. */
  isOver(): boolean;
  /** Ends it; may be called twice. */
  close(): void;
}

export interface FeedRequest {
  readonly accountId: string;
  /** Null: all. */
  readonly types: ReadonlySet<string> | null;
  /** Asked twice a second: false ends the feed. */
  readonly isAllowed: () => Promise<boolean>;
}

/** Tells listeners of their account's events, whichever process they happen in. */
export interface EventFeeds {
  /**
   * Events that are stored after this has resolved are in the feed. Null where the account has as many listeners as it may have, or this
   * process is shutting down. Rejects as the database does.
   */
  open(request: FeedRequest): Promise<EventFeed | null>;
  /** How many are open. */
  count(): number;
  /** Ends every feed, as at shutdown. */
  close(): void;
}

/** One look serves all listeners, so its cost does not grow with them. */
const LOOK_EVERY_MS = 250;
/** Looks take no more than a tenth of the time, however much happens. */
const PAUSE_SHARE = 10;
/** With the time of a look this stays within the second in which a revoked key or a removed member has to be out. */
const CHECK_EVERY_MS = 500;
/** What is stored is seen when its transaction ends: so each look goes back that far, and leaves out what was seen. */
export const LOOK_BACK_MS = STORED_WITHIN_MS;
const ENTRIES_PER_LOOK = 20_000;
const LOOK = { withinMs: LOOK_BACK_MS, limit: ENTRIES_PER_LOOK };
/** Events are stored for so long behind a listener's last sign of life, so that one who comes back has missed none. */
const KEEP_STREAMING_MS = 600_000;
const KEEP_EVERY_MS = 60_000;
/** Who is further behind than that is let go: coming back with its last id it finds the rest in the database. */
const MAX_WAITING = 20_000;

interface Listener {
  readonly request: FeedRequest;
  readonly waiting: string[];
  wake: (() => void) | null;
  isOver: boolean;
}

interface Account {
  readonly listeners: Set<Listener>;
  /** What the last look found: what of it is found again is not new. */
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

  /** For as long as anybody listens. */
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
    // A database that is away is asked again at the next look.
    const entries = await findFeedEntries(sql, [...before.keys()], LOOK).catch(() => null);
    if (entries === null) return;
    const found = Map.groupBy(entries, ({ accountId }) => accountId);
    for (const [accountId, account] of before) hand(account, found.get(accountId) ?? []);
  }

  function hand(account: Account, entries: readonly FeedEntry[]): void {
    const fresh = entries.filter(({ id }) => !account.seen.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
    // More than one look holds has come since the last one: what lies between is found by who comes back with its last id.
    const isTorn = fresh.length === ENTRIES_PER_LOOK;
    account.seen = new Set(entries.map(({ id }) => id));
    for (const listener of [...account.listeners]) {
      const { types } = listener.request;
      const told = types === null ? fresh : fresh.filter(({ type }) => types.has(type));
      for (const { id } of told) listener.waiting.push(id);
      if (isTorn || listener.waiting.length > maxWaiting) end(listener);
      else if (told.length > 0) listener.wake?.();
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
        // Who cannot be asked stays: the next check is a second away.
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

  /** All that is stored up to now is seen. */
  async function readSeen(accountId: string): Promise<ReadonlySet<string>> {
    await keepStreaming(sql, accountId, KEEP_STREAMING_MS);
    return new Set((await findFeedEntries(sql, [accountId], LOOK)).map(({ id }) => id));
  }

  /** In one go with what is done then: an account nobody listens to is forgotten. */
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
