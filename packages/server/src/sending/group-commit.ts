/**
 * Lets requests that arrive while a batch is being written share the next one. There is no timer: an idle door answers at once, and under
 * load the batches grow by themselves to what one round trip can carry.
 */
export interface GroupCommit<Item, Verdict> {
  submit(item: Item): Promise<Verdict>;
  /** Resolves when nothing is waiting or being written. */
  idle(): Promise<void>;
}

interface Entry<Item, Verdict> {
  readonly item: Item;
  readonly octets: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions<Item, Verdict> {
  readonly maxBatch: number;
  /** A batch takes items until it holds so much; one that is larger goes alone. */
  readonly maxOctets: number;
  readonly octetsOf: (item: Item) => number;
  /** Batches written at once. */
  readonly lanes: number;
  /** How many must wait before a further batch sets out behind the running ones: small ones would cost more than the wait. */
  readonly secondLaneFrom: number;
  /** Verdicts in the order of the items. */
  readonly write: (items: readonly Item[]) => Promise<readonly Verdict[]>;
  /** Whether a failure may be the fault of one item: then each is written by itself, so that it fails alone. */
  readonly isItemFault: (error: unknown) => boolean;
  /** Whether a failure says that nothing is answered at present: those who wait then fail with it, rather than one batch after the other. */
  readonly isOutage: (error: unknown) => boolean;
}

export function createGroupCommit<Item, Verdict>(
  options: GroupCommitOptions<Item, Verdict>,
): GroupCommit<Item, Verdict> {
  const queue: Entry<Item, Verdict>[] = [];
  let busy = 0;
  let onIdle: (() => void)[] = [];

  function startLanes(): void {
    while (busy < options.lanes && queue.length > 0 && (busy === 0 || queue.length >= options.secondLaneFrom)) {
      busy += 1;
      void runLane(queue.splice(0, countNext()));
    }
  }

  /** How many of those who wait the next batch takes. */
  function countNext(): number {
    let octets = 0;
    let count = 0;
    for (const entry of queue) {
      octets += entry.octets;
      if (count > 0 && (count === options.maxBatch || octets > options.maxOctets)) break;
      count += 1;
    }
    return count;
  }

  /** The next batch leaves before this one's callers are told: the database works on while their answers are written. */
  async function runLane(entries: readonly Entry<Item, Verdict>[]): Promise<void> {
    const settle = await writeBatch(entries);
    busy -= 1;
    startLanes();
    settle();
    if (busy === 0 && queue.length === 0) tellIdle();
  }

  /** Writes a batch and answers what tells its callers. `behind` is what else this lane was to write. */
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
      const failed = options.isOutage(error) ? [...entries, ...behind.splice(0), ...queue.splice(0)] : entries;
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

  function tellIdle(): void {
    for (const resolve of onIdle) resolve();
    onIdle = [];
  }

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, octets: options.octetsOf(item), resolve, reject });
        // The rest of this turn's requests join before the batch leaves.
        if (busy < options.lanes) queueMicrotask(startLanes);
      }),
    idle: () => (busy === 0 && queue.length === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  };
}

function settleEntry<Item, Verdict>(entry: Entry<Item, Verdict>, verdict: Verdict | undefined): void {
  if (verdict === undefined) entry.reject(new Error('a batch answered fewer verdicts than it had items'));
  else entry.resolve(verdict);
}
