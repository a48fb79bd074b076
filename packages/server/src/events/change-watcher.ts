/** Something whose changes are watched. */
export interface Watched {
  /** What its changes are reported as. */
  readonly name: string;
}

export interface WatchRequest<W extends Watched> {
  /** Whose limit of watches it counts against: an account, a user. */
  readonly ownerId: string;
  readonly watched: readonly W[];
}

export interface Watch {
  /** Starts reporting changes by name, one call for each. After `onEnd` no more are reported. */
  start(onChange: (name: string) => void, onEnd: () => void): void;
  /** Can be called more than once, and before `start`. */
  close(): void;
}

/** Notifies watchers of changes, in whichever process they were made. */
export interface ChangeWatcher<Request> {
  /**
   * Null if the owner or this process has reached its limit of watches, or this process is shutting down.
   * @throws what the database throws
   */
  open(request: Request): Promise<Watch | null>;
  /** Ends every watch, for a shutdown. */
  close(): void;
}

export interface ChangeWatcherOptions<W extends Watched, Request extends WatchRequest<W>> {
  /** The current states, in the order of what is watched; null for what does not exist. Called four times a second. */
  readonly readStates: (watched: readonly W[]) => Promise<readonly (string | null)[]>;
  /** Whether each watch may continue. Called twice a second. */
  readonly findAllowed: (requests: readonly Request[]) => Promise<readonly boolean[]>;
  readonly maxPerOwner: number;
  /** In this process; unlimited by default. */
  readonly maxWatches?: number;
}

/** One query serves all watches, so its cost does not grow with them. Without watches there is no query (docs/decisions/0027). */
const LOOK_EVERY_MS = 250;
/** Queries use at most a tenth of the time, however much is watched. */
const PAUSE_SHARE = 10;
/** Together with the time of a query, this is less than the second in which a revoked key or a removed member must lose access. */
const CHECK_EVERY_MS = 500;

interface Watching<W extends Watched, Request extends WatchRequest<W>> {
  readonly request: Request;
  readonly states: Map<string, string | null>;
  readonly onChange: (name: string) => void;
  readonly onEnd: () => void;
}

export function createChangeWatcher<W extends Watched, Request extends WatchRequest<W>>({
  readStates,
  findAllowed,
  maxPerOwner,
  maxWatches = Number.POSITIVE_INFINITY,
}: ChangeWatcherOptions<W, Request>): ChangeWatcher<Request> {
  const watches = new Set<Watching<W, Request>>();
  /** Open watches of each owner, including those that have not started yet. */
  const counts = new Map<string, number>();
  let total = 0;
  let pollTimer: NodeJS.Timeout | null = null;
  let checker: NodeJS.Timeout | null = null;
  let isLooking = false;
  let isChecking = false;
  let lookAfterMs = 0;
  let isClosed = false;

  async function look(): Promise<void> {
    const beganMs = performance.now();
    if (isLooking || beganMs < lookAfterMs) return;
    isLooking = true;
    try {
      const before = [...watches];
      const states = await readStates(before.flatMap(({ request }) => request.watched));
      let at = 0;
      for (const watching of before) {
        const found = states.slice(at, at + watching.request.watched.length);
        at += found.length;
        if (watches.has(watching)) notify(watching, found);
      }
    } catch {
      // If the database is unavailable, the next poll retries.
    } finally {
      isLooking = false;
      const endedMs = performance.now();
      lookAfterMs = beganMs + PAUSE_SHARE * (endedMs - beganMs);
    }
  }

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    const before = [...watches];
    // Watches that cannot be checked stay: the next check is half a second away.
    const allowed = await findAllowed(before.map(({ request }) => request)).catch(() => before.map(() => true));
    isChecking = false;
    for (const [index, watching] of before.entries()) if (!allowed[index]) watching.onEnd();
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
  function reserveWatch(ownerId: string): boolean {
    const count = counts.get(ownerId) ?? 0;
    if (isClosed || count >= maxPerOwner || total >= maxWatches) return false;
    counts.set(ownerId, count + 1);
    total += 1;
    return true;
  }

  function leave(ownerId: string): void {
    const count = (counts.get(ownerId) ?? 1) - 1;
    if (count === 0) counts.delete(ownerId);
    else counts.set(ownerId, count);
    total -= 1;
  }

  return {
    async open(request) {
      const { ownerId, watched } = request;
      if (!reserveWatch(ownerId)) return null;
      const found = await readStates(watched).catch((error: unknown) => {
        leave(ownerId);
        throw error;
      });
      const states = new Map(watched.map(({ name }, index) => [name, found[index] ?? null]));
      let watching: Watching<W, Request> | null = null;
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
          leave(ownerId);
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

function notify<W extends Watched>(
  { request, states, onChange }: Watching<W, WatchRequest<W>>,
  found: readonly (string | null)[],
): void {
  for (const [index, { name }] of request.watched.entries()) {
    const state = found[index] ?? null;
    if (states.get(name) === state) continue;
    states.set(name, state);
    onChange(name);
  }
}
