import type { Clock } from '../clock.ts';
import type { ProcessPlace } from '../process-share.ts';
import type { DestinationHealth } from './destination-health.ts';
import { createLargeMessages } from './large-messages.ts';
import { createQueueRegistry, type Destination, type DestinationQueue } from './queue-registry.ts';
import { afterAttempt, allowedAtOnce, closedUntil, FRESH_SHAPE, type Shape } from './shaping.ts';

export interface DestinationQueuesOptions {
  readonly clock: Clock;
  /** The name of the mail servers that a domain shares with others; when it rejects, the domain itself. */
  readonly groupOf: (domain: string) => Promise<string>;
  /** The most deliveries that this process leases. Destinations that have not replied yet never use all of it. */
  readonly maxReserved: number;
  /** If several processes of this server share the limits of a destination. */
  readonly place?: ProcessPlace;
  /** In [0, 1). */
  readonly random: () => number;
  /** Called when a destination that may have more due deliveries can take more. */
  readonly onRoom: () => void;
}

/** How many more deliveries may be claimed: by named destination, and for each destination that is not named. */
export interface ClaimCapacity {
  readonly named: readonly { readonly d: string; readonly n: number }[];
  readonly others: number;
}

/** The slot of one delivery in the queue of its destination, from the claim to its outcome. */
export interface QueueSlot {
  /** Resolves when the group is known, with a requeue when the group has no capacity; null when the group was known from the start. */
  readonly settled: Promise<Requeue | null> | null;
  /** Resolves with a permit, or with `go: false` when the destination is paused. @param bytes the size of a large message; 0 for any other. */
  acquire(bytes: number): Promise<SendPermit>;
  /** Frees the slot. Call it once. */
  release(): void;
}

export type SendPermit =
  | { readonly go: true; release(health: DestinationHealth, reason: string | null): void }
  | { readonly go: false; readonly notBefore: Date; readonly reason: string };

/** The claimed delivery must be requeued at once; nothing of it was started. */
export interface Requeue {
  readonly requeueAt: Date;
}

/** Limits what this process sends to each destination at a time. Destinations with the same mail servers share one queue. */
export interface DestinationQueues {
  capacity(): ClaimCapacity;
  /** Records the destinations that a claim with this capacity returned. Returns whether another claim would return more at once. */
  recordClaimed(capacity: ClaimCapacity, destinations: readonly string[]): boolean;
  /** Reserves a slot for a claimed delivery. @param isLast whether it is too late to requeue it. */
  reserve(destination: string, isLast: boolean): QueueSlot | Requeue;
  /** This destination has no queue: everything that is claimed for it starts. */
  bypass(destination: string): void;
  /** Requeues every delivery that waits for a permit, now and from now on. */
  close(): void;
}

/** Leased deliveries per possible attempt: the next ones are claimed while one is sent, and a claim returns several at once. */
const RESERVED_PER_PERMIT = 8;
/** Concurrent attempts: as many as there are connections. */
const MAX_PERMITS = 200;
/** Concurrent attempts to destinations that have not replied yet: each may hang for half a minute. */
const MAX_UNPROVEN_PERMITS = 100;
/** The share of the leased deliveries for such destinations. */
const UNPROVEN_SHARE = 0.75;
/**
 * A queue may use a share of the free permits and of the free slots (the dynamic thresholds of Choudhury and Hahne, 1998): a queue that is busy
 * alone gets all that it can use, and however many become slow, they leave some for the next.
 */
const SHARE_OF_PERMITS = 1 / 8;
const SHARE_OF_PLACES = 1 / 16;
/** More than a claim ever returns. */
const PASSING = 1_000;
/** The most destinations to name in one statement. */
const MAX_NAMED = 2_000;
/** With more destinations than that, the unnamed ones are claimed only this often. */
const UNNAMED_EVERY_MS = 1_000;
const BUSY_MS = 10_000;
/** The delay of a delivery for which its group has no room, so that it is not claimed and requeued again and again. */
const FULL_WAIT_MS = 5_000;
const FULL_SPREAD_MS = 25_000;

export function createDestinationQueues(options: DestinationQueuesOptions): DestinationQueues {
  const { clock } = options;
  const registry = createQueueRegistry(clock, options.groupOf, options.place);
  /** Queues that the capacity of the next claim must name; idle ones are removed at that time. */
  const awake = new Set<DestinationQueue>();
  const queued = new Set<DestinationQueue>();
  const bypassed = new Set<string>();
  const large = createLargeMessages(clock);
  let reserved = 0;
  let unprovenReserved = 0;
  let permits = 0;
  let unprovenPermits = 0;
  let unnamedAtMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  function count(queue: DestinationQueue, places: number): void {
    queue.reserved += places;
    queue.usedAtMs = clock.now().getTime();
    reserved += places;
    if (!queue.shape.isProven) unprovenReserved += places;
    awake.add(queue);
  }

  /** Every change of a shape must use this function, because the number of unproven deliveries depends on it. */
  function reshape(queue: DestinationQueue, shape: Shape): void {
    if (queue.shape.isProven !== shape.isProven) unprovenReserved += shape.isProven ? -queue.reserved : queue.reserved;
    queue.shape = shape;
    awake.add(queue);
  }

  function permitsOf({ shape, most }: DestinationQueue, now: Date): number {
    const share = Math.max(1, Math.floor((MAX_PERMITS - permits) * SHARE_OF_PERMITS));
    return Math.min(allowedAtOnce(shape, now), most, share);
  }

  function capacityOf(queue: DestinationQueue, now: Date): number {
    const allowed = permitsOf(queue, now);
    if (!queue.shape.isProven) return allowed;
    const share = Math.floor((options.maxReserved - reserved) * SHARE_OF_PLACES);
    return Math.min(allowed * RESERVED_PER_PERMIT, Math.max(allowed, share));
  }

  function isUnprovenFull(): boolean {
    return unprovenReserved >= options.maxReserved * UNPROVEN_SHARE;
  }

  function roomOf(queue: DestinationQueue, now: Date): number {
    if (!queue.shape.isProven && isUnprovenFull()) return 0;
    return Math.max(0, capacityOf(queue, now) - queue.reserved);
  }

  function capacity(): ClaimCapacity {
    const now = clock.now();
    const others = isUnprovenFull() ? 0 : FRESH_SHAPE.limit;
    const named = [...bypassed].map((d) => ({ d, n: PASSING }));
    const open: { d: string; n: number }[] = [];
    const short: { d: string; n: number }[] = [];
    for (const [d, { early }] of registry.unsettled) {
      if (early > 0 && others > 0) short.push({ d, n: Math.max(0, others - early) });
      if (short.length > MAX_NAMED) break;
    }
    for (const queue of others === 0 ? registry.queues : awake) {
      const n = roomOf(queue, now);
      if (queue.most === 0 && queue.names.size === 0) awake.delete(queue);
      else if (n < others) pushNames(short, queue, n);
      else if (n > others && (others === 0 || !isResting(queue, now))) pushNames(open, queue, n);
      else if (isResting(queue, now)) awake.delete(queue);
    }
    if (named.length + open.length + short.length <= MAX_NAMED) return { named: [...named, ...open, ...short], others };
    // Otherwise each destination that cannot be named would count as an unknown one.
    const isUnnamedDue = now.getTime() - unnamedAtMs >= UNNAMED_EVERY_MS;
    if (isUnnamedDue) unnamedAtMs = now.getTime();
    const most = isUnnamedDue ? [...short, ...open] : [...open, ...short.filter(({ n }) => n > 0)];
    return { named: [...named, ...most].slice(0, MAX_NAMED), others: isUnnamedDue ? others : 0 };
  }

  function recordClaimed({ named, others }: ClaimCapacity, claimed: readonly string[]): boolean {
    const counts = new Map<string, number>();
    for (const name of claimed) counts.set(name, (counts.get(name) ?? 0) + 1);
    const given = new Map(named.map(({ d, n }) => [d, n]));
    for (const { d, n } of named) if ((counts.get(d) ?? 0) >= n) markMore(d);
    let hasRoom = false;
    for (const [name, n] of counts) {
      if (n < (given.get(name) ?? others)) continue;
      markMore(name);
      const queue = registry.find(name)?.queue ?? null;
      hasRoom ||= queue !== null && roomOf(queue, clock.now()) > 0;
    }
    return hasRoom;
  }

  function markMore(name: string): void {
    const destination = registry.find(name);
    if (destination === undefined) return;
    if (destination.queue === null) destination.hasMore = true;
    else destination.queue.hasMore = true;
  }

  function reserve(name: string, isLast: boolean): QueueSlot | Requeue {
    const destination = registry.destinationOf(name);
    const { queue } = destination;
    if (queue === null) return reserveEarly(destination, isLast);
    const refusal = refusalOf(queue, isLast);
    if (refusal !== null) return refusal;
    count(queue, 1);
    return {
      settled: null,
      acquire: (bytes) => waitForPermit(queue, bytes),
      release: () => freeReservation(queue),
    };
  }

  /** A slot before the group is known: it counts for the destination first, and then for the group. */
  function reserveEarly(destination: Destination, isLast: boolean): QueueSlot {
    let place: 'early' | 'none' | DestinationQueue = 'early';
    const countEarly = (places: number) => {
      destination.early += places;
      reserved += places;
      unprovenReserved += places;
    };
    countEarly(1);
    const settled = destination.found.then((queue) => {
      if (place !== 'early') return null;
      countEarly(-1);
      const refusal = refusalOf(queue, isLast);
      place = refusal === null ? queue : 'none';
      if (refusal === null) count(queue, 1);
      return refusal;
    });
    return {
      settled,
      acquire: async (bytes) => {
        await settled;
        return await waitForPermit(await destination.found, bytes);
      },
      release: () => {
        if (place === 'early') countEarly(-1);
        else if (place !== 'none') freeReservation(place);
        place = 'none';
      },
    };
  }

  function freeReservation(queue: DestinationQueue): void {
    count(queue, -1);
    reportRoom(queue);
  }

  /** Claims count by destination, and a group has many of those: what exceeds the group's capacity is left to other processes and to later. */
  function refusalOf(queue: DestinationQueue, isLast: boolean): Requeue | null {
    const now = clock.now();
    if (queue.most === 0) {
      // Named from now on, so that only other processes claim the deliveries of this group.
      awake.add(queue);
      return { requeueAt: now };
    }
    if (isLast) return null;
    const closed = closedUntil(queue.shape, now);
    if (closed !== null) return { requeueAt: closed };
    const most = Math.max(FRESH_SHAPE.limit, capacityOf(queue, now)) * 2;
    if (queue.reserved < most) return null;
    return { requeueAt: new Date(now.getTime() + FULL_WAIT_MS + options.random() * FULL_SPREAD_MS) };
  }

  function reportRoom(queue: DestinationQueue): void {
    const now = clock.now();
    const capacity = capacityOf(queue, now);
    if (!queue.hasMore || roomOf(queue, now) < capacity / 2 || capacity === 0) return;
    queue.hasMore = false;
    options.onRoom();
  }

  function waitForPermit(queue: DestinationQueue, bytes: number): Promise<SendPermit> {
    return new Promise((resolve) => {
      const attempt = () => {
        const permit = tryAcquire(queue, bytes);
        if (permit !== null) resolve(permit);
        return permit !== null;
      };
      if (queue.waiting.length > 0 || !attempt()) queue.waiting.push(attempt);
      if (queue.waiting.length > 0) queued.add(queue);
    });
  }

  /** Null when the delivery has to wait. */
  function tryAcquire(queue: DestinationQueue, bytes: number): SendPermit | null {
    const now = clock.now();
    const closed = isClosed ? now : closedUntil(queue.shape, now);
    const isUnproven = !queue.shape.isProven;
    const isBelowLimit = permits < MAX_PERMITS && queue.active < permitsOf(queue, now);
    const isAllowed = isBelowLimit && (!isUnproven || unprovenPermits < MAX_UNPROVEN_PERMITS);
    if (closed !== null || !isAllowed) {
      large.forget(queue);
      return closed === null ? null : { go: false, notBefore: closed, reason: closedReason(queue) };
    }
    // Acquired together with the permit, so that no delivery keeps one while it waits for the other.
    const releaseBytes = bytes === 0 ? () => undefined : large.take(queue, bytes, isUnproven);
    return releaseBytes === null ? null : begin(queue, isUnproven, releaseBytes);
  }

  function begin(queue: DestinationQueue, isUnproven: boolean, releaseBytes: () => void): SendPermit {
    const { era } = queue.shape;
    queue.active += 1;
    permits += 1;
    if (isUnproven) unprovenPermits += 1;
    return {
      go: true,
      release: (health, reason) => {
        queue.active -= 1;
        permits -= 1;
        if (isUnproven) unprovenPermits -= 1;
        releaseBytes();
        if (health === 'unreachable' || health === 'turned-away') queue.lastFailure = reason ?? '';
        reshape(queue, afterAttempt(queue.shape, health, era, clock.now(), queue.most));
        admitAll(queue);
      },
    };
  }

  /** The longest waiting first, and last the queue that has just released a permit. */
  function admitAll(latest: DestinationQueue): void {
    if (queued.delete(latest)) queued.add(latest);
    large.retry(admit);
    for (const queue of queued) admit(queue);
  }

  function admit(queue: DestinationQueue): void {
    while (queue.waiting[0]?.() === true) queue.waiting.shift();
    if (queue.waiting.length === 0) queued.delete(queue);
  }

  return {
    capacity,
    recordClaimed,
    reserve,
    bypass: (name) => void bypassed.add(name),
    close() {
      isClosed = true;
      for (const queue of [...queued]) admit(queue);
    },
  };
}

function isResting({ most, reserved, shape, usedAtMs }: DestinationQueue, now: Date): boolean {
  return most > 0 && reserved === 0 && shape.breaker === null && now.getTime() - usedAtMs >= BUSY_MS;
}

/** No more than a statement can carry. */
function pushNames(names: { d: string; n: number }[], queue: DestinationQueue, n: number): void {
  for (const d of queue.names) {
    if (names.length > MAX_NAMED) return;
    names.push({ d, n });
  }
}

function closedReason({ group, lastFailure }: DestinationQueue): string {
  return `The mail servers of ${group} accepted nothing a moment ago (${lastFailure}), so delivery was not attempted.`;
}
