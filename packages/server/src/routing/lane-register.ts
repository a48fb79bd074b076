import type { Clock } from '../clock.ts';
import { FRESH_SHAPE, mostAtOnce, type Shape } from './shaping.ts';

/** What this process knows of a group of destinations, and what it has under way to them. */
export interface Lane {
  readonly group: string;
  /** The most delivery attempts at once. */
  readonly most: number;
  shape: Shape;
  held: number;
  /** Attempts under way, and the octets of those that are large. */
  active: number;
  octets: number;
  readonly waiting: (() => boolean)[];
  /** The last claim was limited by the room there was. */
  hasMore: boolean;
  lastFailure: string;
  usedAtMs: number;
  /** Its destinations. */
  readonly names: Set<string>;
}

export interface Destination {
  /** Null until the group is known. */
  lane: Lane | null;
  readonly found: Promise<Lane>;
  /** Tickets given out before. */
  early: number;
  hasMore: boolean;
  askedAtMs: number;
  usedAtMs: number;
}

/** Which destination goes by which lane; those that are done with are forgotten. */
export interface LaneRegister {
  /** The destination, noted as in use. Its group is asked for where it is new, and again from time to time, since mail servers move. */
  destinationOf(name: string): Destination;
  find(name: string): Destination | undefined;
  readonly lanes: Iterable<Lane>;
  /** Destinations whose group is not known yet. */
  readonly unsettled: Iterable<readonly [string, Destination]>;
}

const KEPT_MS = 10 * 60_000;
const SWEEP_EVERY_MS = 60_000;
/** After the end of a breaker nobody came by for so long: the next who does may find out anew. */
const BREAKER_KEPT_MS = 15 * 60_000;

export function createLaneRegister(clock: Clock, groupOf: (domain: string) => Promise<string>): LaneRegister {
  const lanes = new Map<string, Lane>();
  const destinations = new Map<string, Destination>();
  const unsettled = new Map<string, Destination>();
  let sweptAtMs = clock.now().getTime();

  function destinationOf(name: string): Destination {
    const nowMs = clock.now().getTime();
    if (nowMs - sweptAtMs >= SWEEP_EVERY_MS) sweep(nowMs);
    const known = destinations.get(name);
    if (known === undefined) return addDestination(name, nowMs);
    known.usedAtMs = nowMs;
    if (known.lane !== null && nowMs - known.askedAtMs >= KEPT_MS) {
      known.askedAtMs = nowMs;
      void askGroup(name, known);
    }
    return known;
  }

  function addDestination(name: string, nowMs: number): Destination {
    const { promise, resolve } = Promise.withResolvers<Lane>();
    const destination: Destination = {
      ...{ lane: null, found: promise, early: 0, hasMore: false, askedAtMs: nowMs, usedAtMs: nowMs },
    };
    destinations.set(name, destination);
    unsettled.set(name, destination);
    void askGroup(name, destination).then(resolve);
    return destination;
  }

  async function askGroup(name: string, destination: Destination): Promise<Lane> {
    const lane = laneOf(await groupOf(name).catch(() => name));
    unsettled.delete(name);
    // Forgotten meanwhile: whoever comes next asks again.
    if (destinations.get(name) !== destination) return lane;
    destination.lane?.names.delete(name);
    destination.lane = lane;
    lane.names.add(name);
    lane.hasMore ||= destination.hasMore;
    destination.hasMore = false;
    return lane;
  }

  function laneOf(group: string): Lane {
    const known = lanes.get(group);
    if (known !== undefined) return known;
    const lane: Lane = {
      ...{ group, most: mostAtOnce(group), shape: FRESH_SHAPE, held: 0, active: 0, octets: 0, waiting: [] },
      ...{ hasMore: false, lastFailure: '', usedAtMs: clock.now().getTime(), names: new Set<string>() },
    };
    lanes.set(group, lane);
    return lane;
  }

  /** By the clock, and not by how many there are: where thousands are in use, each that is new would look at all of them. */
  function sweep(nowMs: number): void {
    sweptAtMs = nowMs;
    for (const [name, { usedAtMs, early, lane }] of destinations) {
      if (usedAtMs >= nowMs - KEPT_MS || early > 0 || lane === null || isWarned(lane, nowMs)) continue;
      destinations.delete(name);
      lane.names.delete(name);
    }
    for (const [group, lane] of lanes) {
      const isInUse = lane.held > 0 || lane.names.size > 0 || lane.usedAtMs >= nowMs - KEPT_MS;
      if (!isInUse && !isWarned(lane, nowMs)) lanes.delete(group);
    }
  }

  return {
    destinationOf,
    find: (name) => destinations.get(name),
    get lanes() {
      return lanes.values();
    },
    unsettled,
  };
}

function isWarned({ shape: { breaker } }: Lane, nowMs: number): boolean {
  return breaker !== null && breaker.endsAt.getTime() + BREAKER_KEPT_MS > nowMs;
}
