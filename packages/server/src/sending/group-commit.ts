import { type ActiveAccounts, createFairQueue, type QueueSize } from './fair-queue.ts';

/**
 * Lets requests that arrive while a batch is being written share the next batch. There is no timer: an idle queue writes immediately, and
 * under load the batches grow to what one round trip can carry.
 */
export interface GroupCommit<Item, Verdict> {
  submit(item: Item): Promise<Verdict>;
  /** False while the queue is too full for another item of this account. */
  hasRoom(account: string): boolean;
  /** Resolves when nothing is waiting or being written. */
  idle(): Promise<void>;
}

interface Entry<Item, Verdict> {
  readonly item: Item;
  readonly bytes: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions<Item, Verdict> {
  readonly maxBatch: number;
  /** The most bytes in a batch; a larger item is written alone. */
  readonly maxBytes: number;
  readonly bytesOf: (item: Item) => number;
  /** Batches are shared fairly among accounts. */
  readonly accountOf: (item: Item) => string;
  /** Shared by queues that use the same database. */
  readonly activity: ActiveAccounts;
  /** The size at which the queue is full. */
  readonly room: QueueSize;
  /** The number of batches written concurrently. */
  readonly writers: number;
  /** The same while several accounts are active: each batch takes processor time from the sends of the others. */
  readonly sharedWriters: number;
  /**
   * The number of items that must wait before another batch starts while others are running. Small batches would cost more than the wait.
   * @param lately the most items that were waiting or being written at a time, in about the last twenty batches
   */
  readonly secondWriterFrom: (lately: number) => number;
  /**
   * The number of waiting items that start a batch at once. With fewer, a batch waits until all requests that have arrived are read. Waiting
   * with more would only leave the database idle meanwhile.
   */
  readonly startAtOnceFrom: (lately: number) => number;
  /** Verdicts in the order of the items. */
  readonly write: (items: readonly Item[]) => Promise<readonly Verdict[]>;
  /** Whether one item may have caused the failure. Each item is then written separately, so that only that one fails. */
  readonly isItemFault: (error: unknown) => boolean;
  /** Whether a failure means an outage. All waiting items then fail with it, instead of one batch after the other. */
  readonly isOutage: (error: unknown) => boolean;
}

/** What a batch leaves of the highest number of items in progress. */
const FADING = 0.95;

export function createGroupCommit<Item, Verdict>(
  options: GroupCommitOptions<Item, Verdict>,
): GroupCommit<Item, Verdict> {
  const queue = createFairQueue<Entry<Item, Verdict>>(options.room, options.activity);
  const limit = { items: options.maxBatch, bytes: options.maxBytes };
  let busy = 0;
  /** The items that are being written. */
  let writing = 0;
  let lately = 0;
  let isStarting = false;
  let onIdle: (() => void)[] = [];

  /** Requests that have arrived already, on any connection, join a small batch before it starts: each batch has a fixed cost. */
  function startSoon(): void {
    if (isStarting) return;
    isStarting = true;
    setImmediate(startWriters);
  }

  function startWriters(): void {
    isStarting = false;
    while (queue.length > 0 && mayWrite() && (busy === 0 || queue.length >= options.secondWriterFrom(lately))) {
      busy += 1;
      lately *= FADING;
      void runWriter(queue.take(limit));
    }
  }

  function mayWrite(): boolean {
    if (busy < options.sharedWriters) return true;
    return busy < options.writers && options.activity.countWith([]) <= 1;
  }

  /** The next batch starts before this one's callers are resolved, so the database works while their responses are written. */
  async function runWriter(entries: readonly Entry<Item, Verdict>[]): Promise<void> {
    writing += entries.length;
    const settle = await writeBatch(entries);
    writing -= entries.length;
    busy -= 1;
    startWriters();
    settle();
    if (busy === 0 && queue.length === 0) resolveIdle();
  }

  /** Writes a batch and returns the function that resolves its callers. `behind` is what this writer was to write next. */
  async function writeBatch(
    entries: readonly Entry<Item, Verdict>[],
    behind: Entry<Item, Verdict>[] = [],
  ): Promise<() => void> {
    try {
      const verdicts = await options.write(entries.map(({ item }) => item));
      return () => {
        for (const [index, entry] of entries.entries()) settleEntry(entry, verdicts[index]);
      };
    } catch (error) {
      if (entries.length > 1 && options.isItemFault(error)) return await writeAlone(entries);
      const failed = options.isOutage(error) ? [...entries, ...behind.splice(0), ...queue.takeAll()] : entries;
      return () => {
        for (const { reject } of failed) reject(error);
      };
    }
  }

  async function writeAlone(entries: readonly Entry<Item, Verdict>[]): Promise<() => void> {
    const settles: (() => void)[] = [];
    const behind = [...entries];
    for (let next = behind.shift(); next !== undefined; next = behind.shift()) {
      settles.push(await writeBatch([next], behind));
    }
    return () => {
      for (const settle of settles) settle();
    };
  }

  function resolveIdle(): void {
    for (const resolve of onIdle) resolve();
    onIdle = [];
  }

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        queue.add(options.accountOf(item), { item, bytes: options.bytesOf(item), resolve, reject });
        lately = Math.max(lately, queue.length + writing);
        if (busy >= options.writers) return;
        if (queue.length >= options.startAtOnceFrom(lately)) startWriters();
        else startSoon();
      }),
    hasRoom: (account) => queue.hasRoom(account),
    idle: () => (busy === 0 && queue.length === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  };
}

function settleEntry<Item, Verdict>(entry: Entry<Item, Verdict>, verdict: Verdict | undefined): void {
  if (verdict === undefined) entry.reject(new Error('a batch returned fewer verdicts than items'));
  else entry.resolve(verdict);
}
