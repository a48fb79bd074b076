/**
 * A queue from which batches are taken fairly among accounts: each batch has an equal share for every account that waits, so the backlog
 * of one delays no other. The items of an account stay in order.
 */
export interface FairQueue<Item> {
  readonly length: number;
  /** False if the queue, or the account's half of it, is full. */
  hasRoom(account: string): boolean;
  add(account: string, item: Item): void;
  /** The items of the next batch; at least one, unless the queue is empty. */
  take(limit: QueueSize): Item[];
  takeAll(): Item[];
}

/** Of a batch, or of the whole queue. */
export interface QueueSize {
  readonly items: number;
  /** An item that is larger than a batch may be is taken alone. */
  readonly bytes: number;
}

const SHARE_OF_ACCOUNT = 0.5;

interface Waiting<Item> {
  readonly items: Item[];
  bytes: number;
}

const NOTHING = { items: [], bytes: 0 };

/** @param room the size from which the queue has no room. */
export function createFairQueue<Item extends { readonly bytes: number }>(room: QueueSize): FairQueue<Item> {
  /** In the order in which the accounts are served. */
  const accounts = new Map<string, Waiting<Item>>();
  const all = { length: 0, bytes: 0 };

  /** The number of an account's first items that fit into a batch, and their bytes. */
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

  function take(limit: QueueSize): Item[] {
    const batch: Item[] = [];
    const share = Math.ceil(limit.items / accounts.size);
    let visits = accounts.size;
    let bytesLeft = limit.bytes;
    for (const [account, waiting] of accounts) {
      const most = visits === 0 ? 0 : Math.min(share, limit.items - batch.length);
      const next = countNext(waiting.items, most, bytesLeft, batch.length === 0);
      if (next.items === 0) break;
      visits -= 1;
      bytesLeft -= next.bytes;
      batch.push(...waiting.items.splice(0, next.items));
      waiting.bytes -= next.bytes;
      // The account is served again after all others.
      accounts.delete(account);
      if (waiting.items.length > 0) accounts.set(account, waiting);
    }
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
        all.length < room.items &&
        all.bytes < room.bytes &&
        own.items.length < room.items * SHARE_OF_ACCOUNT &&
        own.bytes < room.bytes * SHARE_OF_ACCOUNT
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
