import type { Clock } from '../clock.ts';
import type { DestinationHealth } from './destination-health.ts';
import { createLaneRegister, type Destination, type Lane } from './lane-register.ts';
import { createLargeMessages } from './large-messages.ts';
import { afterAttempt, allowedAtOnce, closedUntil, FRESH_SHAPE, type Shape } from './shaping.ts';

export interface LanesOptions {
  readonly clock: Clock;
  /** What a domain shares with others; a rejection counts as the domain itself. */
  readonly groupOf: (domain: string) => Promise<string>;
  /** Deliveries that the process holds at most: destinations of which nobody has answered yet never fill all of it. */
  readonly maxHeld: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Told when a destination of which more may wait can take more. */
  readonly onRoom: () => void;
}

/** How many more deliveries may be claimed: by destination, and of each that is not named. */
export interface Rooms {
  readonly named: readonly { readonly d: string; readonly n: number }[];
  readonly others: number;
}

/** The place of one delivery on its way, from the claim on. */
export interface Ticket {
  /** Resolves when the group is known, with what that means for the place; null where it was known when the place was given. */
  readonly settled: Promise<PutBack | null> | null;
  /** Resolves when its turn has come, or when nothing goes. @param octets of a large message, which takes room on its way; 0 for any other. */
  enter(octets: number): Promise<Turn>;
  /** The delivery is no longer held. To be called once. */
  release(): void;
}

export type Turn =
  | { readonly go: true; leave(health: DestinationHealth, reason: string | null): void }
  | { readonly go: false; readonly notBefore: Date; readonly reason: string };

/** Where a claimed delivery is to be put back at once, nothing of it begun. */
export interface PutBack {
  readonly putBackUntil: Date;
}

/** Shapes what this process sends to each destination; groups share one lane. */
export interface DestinationLanes {
  rooms(): Rooms;
  /** What a claim with these rooms brought, by destination. Answers whether a further one would bring more at once. */
  noteClaimed(rooms: Rooms, destinations: readonly string[]): boolean;
  /** A place for a claimed delivery. @param isLast whether it is too late for putting it back. */
  hold(destination: string, isLast: boolean): Ticket | PutBack;
  /** Of this destination goes whatever is claimed: it has no lane. */
  pass(destination: string): void;
  /** Whoever waits for a turn is put back, now and from now on. */
  close(): void;
}

/** Held for each delivery attempt that may be under way: the next are claimed meanwhile, and claims bring several at once. */
const HELD_PER_TURN = 8;
/** Attempts at once: as many as there are connections. */
const MAX_TURNS = 200;
/** Attempts at once to destinations of which nobody has answered yet: each may hang for half a minute. */
const MAX_UNPROVEN_TURNS = 100;
/** Their share of what is held. */
const UNPROVEN_SHARE = 0.75;
/**
 * What one lane may have of the turns, and of the places of what waits, is a part of those that are free (the dynamic thresholds of Choudhury
 * and Hahne, 1998): one that is busy alone gets all that it can use, and however many turn slow, they leave some to the next.
 */
const SHARE_OF_TURNS = 1 / 8;
const SHARE_OF_PLACES = 1 / 16;
/** More than a claim ever brings. */
const PASSING = 1_000;
/** A statement carries no more. */
const MAX_NAMED = 2_000;
/** Where there are more, what is not named comes with one claim in so long. */
const UNNAMED_EVERY_MS = 1_000;
const BUSY_MS = 10_000;
/** What a group has no room for waits so long, lest it be claimed and put back again and again. */
const FULL_WAIT_MS = 5_000;
const FULL_SPREAD_MS = 25_000;

export function createDestinationLanes(options: LanesOptions): DestinationLanes {
  const { clock } = options;
  const register = createLaneRegister(clock, options.groupOf);
  /** Lanes that claims are to be told of; those that rest leave when the next one is. */
  const awake = new Set<Lane>();
  const queued = new Set<Lane>();
  const passing = new Set<string>();
  const large = createLargeMessages(clock);
  let held = 0;
  let unprovenHeld = 0;
  let turns = 0;
  let unprovenTurns = 0;
  let unnamedAtMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  function count(lane: Lane, places: number): void {
    lane.held += places;
    lane.usedAtMs = clock.now().getTime();
    held += places;
    if (!lane.shape.isProven) unprovenHeld += places;
    awake.add(lane);
  }

  /** Every change of a shape goes through here, since what is held counts by it. */
  function reshape(lane: Lane, shape: Shape): void {
    if (lane.shape.isProven !== shape.isProven) unprovenHeld += shape.isProven ? -lane.held : lane.held;
    lane.shape = shape;
    awake.add(lane);
  }

  function turnsOf({ shape }: Lane, now: Date): number {
    const share = Math.max(1, Math.floor((MAX_TURNS - turns) * SHARE_OF_TURNS));
    return Math.min(allowedAtOnce(shape, now), share);
  }

  function capacityOf(lane: Lane, now: Date): number {
    const allowed = turnsOf(lane, now);
    if (!lane.shape.isProven) return allowed;
    const share = Math.floor((options.maxHeld - held) * SHARE_OF_PLACES);
    return Math.min(allowed * HELD_PER_TURN, Math.max(allowed, share));
  }

  function isUnprovenFull(): boolean {
    return unprovenHeld >= options.maxHeld * UNPROVEN_SHARE;
  }

  function roomOf(lane: Lane, now: Date): number {
    if (!lane.shape.isProven && isUnprovenFull()) return 0;
    return Math.max(0, capacityOf(lane, now) - lane.held);
  }

  function rooms(): Rooms {
    const now = clock.now();
    const others = isUnprovenFull() ? 0 : FRESH_SHAPE.limit;
    const named = [...passing].map((d) => ({ d, n: PASSING }));
    const open: { d: string; n: number }[] = [];
    const short: { d: string; n: number }[] = [];
    for (const [d, { early }] of register.unsettled) {
      if (early > 0 && others > 0) short.push({ d, n: Math.max(0, others - early) });
      if (short.length > MAX_NAMED) break;
    }
    for (const lane of others === 0 ? register.lanes : awake) {
      const n = roomOf(lane, now);
      if (n < others) pushNames(short, lane, n);
      else if (n > others && (others === 0 || !isResting(lane, now))) pushNames(open, lane, n);
      else if (isResting(lane, now)) awake.delete(lane);
    }
    if (named.length + open.length + short.length <= MAX_NAMED) return { named: [...named, ...open, ...short], others };
    // Otherwise each of those that cannot be named would be taken for one of which nothing is known.
    const isUnnamedDue = now.getTime() - unnamedAtMs >= UNNAMED_EVERY_MS;
    if (isUnnamedDue) unnamedAtMs = now.getTime();
    const most = isUnnamedDue ? [...short, ...open] : [...open, ...short.filter(({ n }) => n > 0)];
    return { named: [...named, ...most].slice(0, MAX_NAMED), others: isUnnamedDue ? others : 0 };
  }

  function noteClaimed({ named, others }: Rooms, claimed: readonly string[]): boolean {
    const counts = new Map<string, number>();
    for (const name of claimed) counts.set(name, (counts.get(name) ?? 0) + 1);
    const given = new Map(named.map(({ d, n }) => [d, n]));
    for (const { d, n } of named) if ((counts.get(d) ?? 0) >= n) noteMore(d);
    let hasRoom = false;
    for (const [name, n] of counts) {
      if (n < (given.get(name) ?? others)) continue;
      noteMore(name);
      const lane = register.find(name)?.lane ?? null;
      hasRoom ||= lane !== null && roomOf(lane, clock.now()) > 0;
    }
    return hasRoom;
  }

  function noteMore(name: string): void {
    const destination = register.find(name);
    if (destination === undefined) return;
    if (destination.lane === null) destination.hasMore = true;
    else destination.lane.hasMore = true;
  }

  function hold(name: string, isLast: boolean): Ticket | PutBack {
    const destination = register.destinationOf(name);
    const { lane } = destination;
    if (lane === null) return holdEarly(destination, isLast);
    const refusal = isLast ? null : refusalOf(lane);
    if (refusal !== null) return refusal;
    count(lane, 1);
    return {
      settled: null,
      enter: (octets) => waitForTurn(lane, octets),
      release: () => leaveLane(lane),
    };
  }

  /** A place before the group is known: it counts for the destination, and then for the group, one after the other. */
  function holdEarly(destination: Destination, isLast: boolean): Ticket {
    let place: 'early' | 'none' | Lane = 'early';
    const countEarly = (places: number) => {
      destination.early += places;
      held += places;
      unprovenHeld += places;
    };
    countEarly(1);
    const settled = destination.found.then((lane) => {
      if (place !== 'early') return null;
      countEarly(-1);
      const refusal = isLast ? null : refusalOf(lane);
      place = refusal === null ? lane : 'none';
      if (refusal === null) count(lane, 1);
      return refusal;
    });
    return {
      settled,
      enter: async (octets) => {
        await settled;
        return await waitForTurn(await destination.found, octets);
      },
      release: () => {
        if (place === 'early') countEarly(-1);
        else if (place !== 'none') leaveLane(place);
        place = 'none';
      },
    };
  }

  function leaveLane(lane: Lane): void {
    count(lane, -1);
    tellRoom(lane);
  }

  /** Claims count by destination, and groups hold many of those: what is too much for the group is left to others, and to later. */
  function refusalOf(lane: Lane): PutBack | null {
    const now = clock.now();
    const closed = closedUntil(lane.shape, now);
    if (closed !== null) return { putBackUntil: closed };
    const most = Math.max(FRESH_SHAPE.limit, capacityOf(lane, now)) * 2;
    if (lane.held < most) return null;
    return { putBackUntil: new Date(now.getTime() + FULL_WAIT_MS + options.random() * FULL_SPREAD_MS) };
  }

  function tellRoom(lane: Lane): void {
    const now = clock.now();
    const capacity = capacityOf(lane, now);
    if (!lane.hasMore || roomOf(lane, now) < capacity / 2 || capacity === 0) return;
    lane.hasMore = false;
    options.onRoom();
  }

  function waitForTurn(lane: Lane, octets: number): Promise<Turn> {
    return new Promise((resolve) => {
      const attempt = () => {
        const turn = takeTurn(lane, octets);
        if (turn !== null) resolve(turn);
        return turn !== null;
      };
      if (lane.waiting.length > 0 || !attempt()) lane.waiting.push(attempt);
      if (lane.waiting.length > 0) queued.add(lane);
    });
  }

  /** Null where it has to wait. */
  function takeTurn(lane: Lane, octets: number): Turn | null {
    const now = clock.now();
    const closed = isClosed ? now : closedUntil(lane.shape, now);
    const isUnproven = !lane.shape.isProven;
    const isInTurn = turns < MAX_TURNS && lane.active < turnsOf(lane, now);
    const isAllowed = isInTurn && (!isUnproven || unprovenTurns < MAX_UNPROVEN_TURNS);
    if (closed !== null || !isAllowed) {
      large.forget(lane);
      return closed === null ? null : { go: false, notBefore: closed, reason: closedReason(lane) };
    }
    // Together with the turn, so that nobody keeps the one while waiting for the other.
    const leaveRoom = octets === 0 ? () => undefined : large.take(lane, octets, isUnproven);
    return leaveRoom === null ? null : begin(lane, isUnproven, leaveRoom);
  }

  function begin(lane: Lane, isUnproven: boolean, leaveRoom: () => void): Turn {
    const { era } = lane.shape;
    lane.active += 1;
    turns += 1;
    if (isUnproven) unprovenTurns += 1;
    return {
      go: true,
      leave: (health, reason) => {
        lane.active -= 1;
        turns -= 1;
        if (isUnproven) unprovenTurns -= 1;
        leaveRoom();
        if (health === 'unreachable' || health === 'turned-away') lane.lastFailure = reason ?? '';
        reshape(lane, afterAttempt(lane.shape, health, era, clock.now(), lane.most));
        admitAll(lane);
      },
    };
  }

  /** Whoever waits the longest first, and last of all the lane that has just had a turn. */
  function admitAll(latest: Lane): void {
    if (queued.delete(latest)) queued.add(latest);
    large.retry(admit);
    for (const lane of queued) admit(lane);
  }

  function admit(lane: Lane): void {
    while (lane.waiting[0]?.() === true) lane.waiting.shift();
    if (lane.waiting.length === 0) queued.delete(lane);
  }

  return {
    rooms,
    noteClaimed,
    hold,
    pass: (name) => void passing.add(name),
    close() {
      isClosed = true;
      for (const lane of [...queued]) admit(lane);
    },
  };
}

function isResting({ held, shape, usedAtMs }: Lane, now: Date): boolean {
  return held === 0 && shape.breaker === null && now.getTime() - usedAtMs >= BUSY_MS;
}

/** No more than can be told. */
function pushNames(names: { d: string; n: number }[], lane: Lane, n: number): void {
  for (const d of lane.names) {
    if (names.length > MAX_NAMED) return;
    names.push({ d, n });
  }
}

function closedReason({ group, lastFailure }: Lane): string {
  return `The mail servers of ${group} took nothing a moment ago (${lastFailure}), so nothing was tried.`;
}
