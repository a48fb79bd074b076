import type { Clock } from '../clock.ts';
import { exactShareOf, ONLY_PROCESS, type ProcessPlace } from '../process-share.ts';
import { FRESH_SHAPE, mostAtOnce, type Shape } from './shaping.ts';

/** What this process knows about a group of destinations, and what it is sending to them. */
export interface DestinationQueue {
  readonly group: string;
  /** The most concurrent delivery attempts of this process. 0 if only other processes deliver to this group. */
  readonly most: number;
  shape: Shape;
  reserved: number;
  /** Attempts under way, and the bytes of those that are large. */
  active: number;
  bytes: number;
  readonly waiting: (() => boolean)[];
  /** The last claim was limited by the available capacity. */
  hasMore: boolean;
  lastFailure: string;
  usedAtMs: number;
  /** Its destinations. */
  readonly names: Set<string>;
}

export interface Destination {
  /** Null until the group is known. */
  queue: DestinationQueue | null;
  readonly found: Promise<DestinationQueue>;
  /** Slots reserved before that. */
  early: number;
  hasMore: boolean;
  lookedUpAtMs: number;
  usedAtMs: number;
}

/** Maps each destination to its queue, and forgets those that are no longer used. */
export interface QueueRegistry {
  /** Returns the destination and marks it as used. Looks its group up when it is new, and again from time to time, since mail servers move. */
  destinationOf(name: string): Destination;
  find(name: string): Destination | undefined;
  readonly queues: Iterable<DestinationQueue>;
  /** Destinations whose group is not known yet. */
  readonly unsettled: Iterable<readonly [string, Destination]>;
}

const KEPT_MS = 10 * 60_000;
const SWEEP_EVERY_MS = 60_000;
/** How long an ended breaker is remembered without a delivery: the next one starts from a fresh state. */
const BREAKER_KEPT_MS = 15 * 60_000;

/** @param place the process, if several processes of this server send to the same destinations */
export function createQueueRegistry(
  clock: Clock,
  groupOf: (domain: string) => Promise<string>,
  place: ProcessPlace = ONLY_PROCESS,
): QueueRegistry {
  const queues = new Map<string, DestinationQueue>();
  const destinations = new Map<string, Destination>();
  const unsettled = new Map<string, Destination>();
  let sweptAtMs = clock.now().getTime();

  function destinationOf(name: string): Destination {
    const nowMs = clock.now().getTime();
    if (nowMs - sweptAtMs >= SWEEP_EVERY_MS) sweep(nowMs);
    const known = destinations.get(name);
    if (known === undefined) return addDestination(name, nowMs);
    known.usedAtMs = nowMs;
    if (known.queue !== null && nowMs - known.lookedUpAtMs >= KEPT_MS) {
      known.lookedUpAtMs = nowMs;
      void lookUpGroup(name, known);
    }
    return known;
  }

  function addDestination(name: string, nowMs: number): Destination {
    const { promise, resolve } = Promise.withResolvers<DestinationQueue>();
    const destination: Destination = {
      ...{ queue: null, found: promise, early: 0, hasMore: false, lookedUpAtMs: nowMs, usedAtMs: nowMs },
    };
    destinations.set(name, destination);
    unsettled.set(name, destination);
    void lookUpGroup(name, destination).then(resolve);
    return destination;
  }

  async function lookUpGroup(name: string, destination: Destination): Promise<DestinationQueue> {
    const queue = queueOf(await groupOf(name).catch(() => name));
    unsettled.delete(name);
    // Forgotten meanwhile: the next delivery looks it up again.
    if (destinations.get(name) !== destination) return queue;
    destination.queue?.names.delete(name);
    destination.queue = queue;
    queue.names.add(name);
    queue.hasMore ||= destination.hasMore;
    destination.hasMore = false;
    return queue;
  }

  function queueOf(group: string): DestinationQueue {
    const known = queues.get(group);
    if (known !== undefined) return known;
    const queue: DestinationQueue = {
      ...{
        group,
        most: exactShareOf(mostAtOnce(group), place, group),
        shape: FRESH_SHAPE,
        reserved: 0,
        active: 0,
        bytes: 0,
        waiting: [],
      },
      ...{ hasMore: false, lastFailure: '', usedAtMs: clock.now().getTime(), names: new Set<string>() },
    };
    queues.set(group, queue);
    return queue;
  }

  /** By time instead of by count: with thousands in use, each new one would trigger a scan of all of them. */
  function sweep(nowMs: number): void {
    sweptAtMs = nowMs;
    for (const [name, { usedAtMs, early, queue }] of destinations) {
      if (usedAtMs >= nowMs - KEPT_MS || early > 0 || queue === null || isWarned(queue, nowMs)) continue;
      destinations.delete(name);
      queue.names.delete(name);
    }
    for (const [group, queue] of queues) {
      const isInUse = queue.reserved > 0 || queue.names.size > 0 || queue.usedAtMs >= nowMs - KEPT_MS;
      if (!isInUse && !isWarned(queue, nowMs)) queues.delete(group);
    }
  }

  return {
    destinationOf,
    find: (name) => destinations.get(name),
    get queues() {
      return queues.values();
    },
    unsettled,
  };
}

function isWarned({ shape: { breaker } }: DestinationQueue, nowMs: number): boolean {
  return breaker !== null && breaker.endsAt.getTime() + BREAKER_KEPT_MS > nowMs;
}
