/**
 * A queue that divides its batches fairly among accounts: each batch has an equal share for every account that waits, so the backlog of one
 * account does not delay the others. The items of an account stay in order.
 */
export interface FairQueue<Item> {
  readonly length: number;
  /** False if the account has as much waiting as half of what is free. */
  hasRoom(account: string): boolean;
  add(account: string, item: Item): void;
  /** Removes and returns the items of the next batch; at least one, unless the queue is empty. */
  take(limit: QueueSize): Item[];
  takeAll(): Item[];
}

/** The size of a batch, or of the whole queue. */
export interface QueueSize {
  readonly items: number;
  /** An item that is larger than a whole batch is a batch of its own. */
  readonly bytes: number;
}

/** An account may use as much as half of what is free, so that the queue is never full for an account that has nothing waiting. */
const SHARE_OF_FREE = 0.5;

/** The accounts whose sends are being written or were just written, in any queue. */
export interface ActiveAccounts {
  note(accounts: readonly string[]): void;
  /** The number of active accounts, including these. */
  countWith(accounts: Iterable<string>): number;
}

/**
 * An account counts as active for this many batches, because clients whose sends are being written will soon send again. Otherwise, an
 * account that always has a backlog would fill the space that they leave free, and double the time of each batch.
 */
const ACTIVE_BATCHES = 4;

export function createActiveAccounts(): ActiveAccounts {
  const batches: (readonly string[])[] = [];
  return {
    note(accounts) {
      batches.push(accounts);
      if (batches.length > ACTIVE_BATCHES) batches.shift();
    },
    countWith(accounts) {
      const active = new Set(accounts);
      for (const batch of batches) for (const account of batch) active.add(account);
      return active.size;
    },
  };
}

/** Several accounts share two fifths of a full batch, because the time to write a batch delays all of them. */
const SHARED_PART = 0.4;
/** The least share, so that a batch is worth its fixed cost even if many accounts are active. */
const LEAST_SHARE = 3;

interface Waiting<Item> {
  readonly items: Item[];
  bytes: number;
}

const NOTHING = { items: [], bytes: 0 };

/** @param room the size at which the queue is full */
export function createFairQueue<Item extends { readonly bytes: number }>(
  room: QueueSize,
  activity: ActiveAccounts,
): FairQueue<Item> {
  /** In the order in which the accounts are served. */
  const accounts = new Map<string, Waiting<Item>>();
  const all = { length: 0, bytes: 0 };

  /** How many of an account's first items fit into a batch, and their bytes. */
  function countNext(items: readonly Item[], most: number, bytesLeft: number, isFirst: boolean): QueueSize {
    let bytes = 0;
    let count = 0;
    for (const item of items) {
      const isAlone = isFirst && count === 0;
      if (count === most || (bytes + item.bytes > bytesLeft && !isAlone)) break;
      bytes += item.bytes;
      count += 1;
    }
    return { items: count, bytes };
  }

  /** How many items of one account a batch may have. */
  function shareOf(items: number): number {
    const active = activity.countWith(accounts.keys());
    return active === 1 ? items : Math.max(LEAST_SHARE, Math.ceil((items * SHARED_PART) / active));
  }

  function take(limit: QueueSize): Item[] {
    const batch: Item[] = [];
    const served: string[] = [];
    let bytesLeft = limit.bytes;

    /** Takes up to `share` items of each account, until the batch has `most`. */
    function takeShares(share: number, most: number): void {
      // A copy, because accounts that were served are added again.
      for (const [account, waiting] of [...accounts]) {
        const free = Math.max(0, most - batch.length);
        const next = countNext(waiting.items, Math.min(share, free), bytesLeft, batch.length === 0);
        if (next.items === 0) break;
        served.push(account);
        bytesLeft -= next.bytes;
        batch.push(...waiting.items.splice(0, next.items));
        waiting.bytes -= next.bytes;
        // The account is served again after all others.
        accounts.delete(account);
        if (waiting.items.length > 0) accounts.set(account, waiting);
      }
    }

    takeShares(shareOf(limit.items), limit.items);
    // What light accounts leave of the part that all share.
    takeShares(limit.items, Math.ceil(limit.items * SHARED_PART));
    activity.note(served);
    all.length -= batch.length;
    all.bytes -= limit.bytes - bytesLeft;
    return batch;
  }

  return {
    get length() {
      return all.length;
    },
    hasRoom(account) {
      const own = accounts.get(account) ?? NOTHING;
      return (
        own.items.length < (room.items - all.length) * SHARE_OF_FREE &&
        own.bytes < (room.bytes - all.bytes) * SHARE_OF_FREE
      );
    },
    add(account, item) {
      const waiting = accounts.get(account) ?? { items: [], bytes: 0 };
      waiting.items.push(item);
      waiting.bytes += item.bytes;
      accounts.set(account, waiting);
      all.length += 1;
      all.bytes += item.bytes;
    },
    take,
    takeAll() {
      const items = [...accounts.values()].flatMap((waiting) => waiting.items);
      accounts.clear();
      Object.assign(all, { length: 0, bytes: 0 });
      return items;
    },
  };
}
