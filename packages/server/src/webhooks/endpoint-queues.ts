import type { ClaimedDelivery } from '../db/queries/webhook-deliveries.ts';
import { type EndpointPace, FRESH_PACE, nextPace, type PaceSample, SLOW_MS } from './endpoint-pace.ts';

/** A delivery that was claimed and not started yet. */
export interface WaitingDelivery {
  readonly delivery: ClaimedDelivery;
  readonly claimedAt: Date;
}

/** One endpoint in this process: its claimed deliveries, those under way, and its pace. */
export interface EndpointQueue {
  mayBegin(now: Date): boolean;
  /** Whether the last response was fast; false when there was none yet. */
  isFast(): boolean;
  /** Whether there was a response a moment ago. */
  hasJustResponded(now: Date): boolean;
  /** Whether it has no more under way than the initial width. */
  isNarrow(): boolean;
  /** Starts the next delivery; null when none waits. */
  take(now: Date): WaitingDelivery | null;
  /** Undoes a take: nothing was sent. */
  putBack(): void;
  /** Ends a started delivery; returns whether the endpoint was failing before. */
  finish(result: PaceSample & { readonly succeeded: boolean }, now: Date): boolean;
  /** Whether to claim more for it. */
  wantsMore(now: Date): boolean;
}

export interface EndpointCapacity {
  readonly capacity: ReadonlyMap<string, number>;
  readonly otherwise: number;
}

/** The queues of all endpoints. Each gets no more capacity than its pace, so that none delays another. */
export interface EndpointQueues {
  add(delivery: ClaimedDelivery, now: Date): void;
  /** How many more deliveries of each endpoint may be claimed; `otherwise` is for endpoints without a queue. */
  capacity(now: Date): EndpointCapacity;
  /** Records which endpoints may have more due deliveries: the others have none. */
  recordClaimed(asked: EndpointCapacity, taken: readonly ClaimedDelivery[], isCutOff: boolean): void;
  /** Those with something to start, the longest waiting first. */
  roundRobin(): readonly EndpointQueue[];
  waitingIds(): readonly string[];
  /** Endpoints that are paused because they do not respond. */
  pausedIds(now: Date): readonly string[];
  /** Forgets the state of an endpoint but keeps its waiting deliveries: its URL has changed. */
  renew(id: string): void;
  waitingCount(): number;
  /** The number of requests to endpoints that have not finished one for a while. */
  stalledCount(now: Date): number;
  /** Removes deliveries that wait for paused or stalled endpoints: others need their place. */
  removeStalled(now: Date): readonly ClaimedDelivery[];
  /** Removes the claimed deliveries of an endpoint. */
  drop(id: string): void;
  /** All claimed deliveries that were not started. */
  removeAll(): readonly ClaimedDelivery[];
}

/** Claimed and not started, for all endpoints together: what a process keeps in memory. */
export const WAITING_MAX = 2_000;
/** Claimed ahead, in widths of the queue, so that the endpoint does not wait for the next claim. */
const AHEAD = 25;
/** The same for an endpoint that is slow, silent or unknown: its claimed deliveries wait long. */
const SLOW_AHEAD = 2;
/** The most waiting deliveries for all of these together, so that capacity remains for fast endpoints. */
const SLOW_WAITING_MAX = 1_000;
/** Claims more when only this share is left waiting: fewer claims mean less fixed cost per delivery. */
const REFILL_SHARE = 1 / 3;
/** If no request has ended for this long, nothing is claimed ahead: waiting deliveries may be waiting for a timeout. */
const STALLED_MS = 2_000;
/** Started entries are removed when there are this many: shifting an array costs as much as its length. */
const STARTED_KEPT = 250;
/** With more queues than this, idle ones are removed. */
const KEPT = 2_000;

interface QueueState {
  pace: EndpointPace;
  underWay: number;
  isFailing: boolean;
  isFast: boolean;
  /** When a request ended, or the first of several started. */
  movedAt: Date | null;
  respondedAt: Date | null;
  waiting: WaitingDelivery[];
  /** How many entries at the start of `waiting` have been started. */
  started: number;
  /** Whether the last query found all that is due. */
  isDrained: boolean;
}

export function createEndpointQueues(): EndpointQueues {
  const states = new Map<string, QueueState>();
  /** How many may wait for one endpoint: if many fast ones exceed the capacity, none uses the others' share. */
  let share = WAITING_MAX;

  function stateOf(id: string): QueueState {
    const known = states.get(id);
    if (known !== undefined) return known;
    const nothing = { underWay: 0, isFailing: false, isFast: false, waiting: [], started: 0 };
    const fresh: QueueState = { pace: FRESH_PACE, ...nothing, movedAt: null, respondedAt: null, isDrained: false };
    states.set(id, fresh);
    return fresh;
  }

  /** Deliveries under way end in the queue in which they started. */
  function renew(id: string): void {
    const former = states.get(id);
    if (former === undefined) return;
    states.delete(id);
    const waiting = former.waiting.slice(former.started);
    Object.assign(former, { waiting: [], started: 0 });
    Object.assign(stateOf(id), { waiting, isDrained: former.isDrained });
  }

  function roomOf(state: QueueState, now: Date, isSlowFull: boolean): number {
    const { pace, underWay, isFast } = state;
    if (isPaused(pace, now) || (isSlowFull && !isFast)) return 0;
    const ahead = isStalled(state, now) ? pace.width : aheadOf(state);
    return Math.max(0, ahead - underWay - waitingIn(state));
  }

  function aheadOf({ pace: { width }, isFast }: QueueState): number {
    return isFast ? Math.max(width, Math.min(width * AHEAD, share)) : width * SLOW_AHEAD;
  }

  function shareRoom(): void {
    let busy = 0;
    for (const { isFast, isDrained } of states.values()) if (isFast && !isDrained) busy += 1;
    share = Math.floor(WAITING_MAX / Math.max(1, busy));
  }

  function isSlowFull(): boolean {
    let count = 0;
    for (const state of states.values()) if (!state.isFast) count += waitingIn(state);
    return count >= SLOW_WAITING_MAX;
  }

  function tidy(now: Date): void {
    if (states.size <= KEPT) return;
    for (const [id, state] of states) {
      const isBusy = state.underWay > 0 || state.waiting.length > state.started || isPaused(state.pace, now);
      if (!isBusy) states.delete(id);
    }
  }

  return {
    add(delivery, claimedAt) {
      const state = stateOf(delivery.endpointId);
      state.waiting.push({ delivery, claimedAt });
      state.isFailing ||= delivery.isFailing;
    },
    capacity(now) {
      tidy(now);
      shareRoom();
      const isFull = isSlowFull();
      const capacity = new Map([...states].map(([id, state]) => [id, roomOf(state, now, isFull)] as const));
      return { capacity, otherwise: isFull ? 0 : FRESH_PACE.width * SLOW_AHEAD };
    },
    recordClaimed({ capacity, otherwise }, taken, isCutOff) {
      const counts = new Map<string, number>();
      for (const { endpointId } of taken) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
      for (const [id, state] of states) {
        state.isDrained = !isCutOff && (counts.get(id) ?? 0) < (capacity.get(id) ?? otherwise);
      }
    },
    roundRobin() {
      const busy = [...states].filter(([, state]) => state.waiting.length > state.started);
      // The next round starts behind the first queue of this one.
      const [first] = busy;
      if (first !== undefined && busy.length > 1) {
        states.delete(first[0]);
        states.set(first[0], first[1]);
      }
      return busy.map(([, state]) => toQueue(state, aheadOf));
    },
    waitingIds: () => [...states].filter(([, state]) => state.waiting.length > state.started).map(([id]) => id),
    pausedIds: (now) => [...states].filter(([, { pace }]) => isPaused(pace, now)).map(([id]) => id),
    renew,
    waitingCount() {
      let count = 0;
      for (const state of states.values()) count += waitingIn(state);
      return count;
    },
    stalledCount(now) {
      let count = 0;
      for (const state of states.values()) if (isStalled(state, now)) count += state.underWay;
      return count;
    },
    drop(id) {
      const state = states.get(id);
      if (state === undefined) return;
      state.waiting = [];
      state.started = 0;
    },
    removeAll() {
      const all = [...states.values()].flatMap(leftOf);
      states.clear();
      return all;
    },
    removeStalled(now) {
      const stalled = [...states.values()].filter((state) => isPaused(state.pace, now) || isStalled(state, now));
      return stalled.flatMap((state) => {
        const left = leftOf(state);
        state.waiting = [];
        state.started = 0;
        return left;
      });
    },
  };
}

function toQueue(state: QueueState, aheadOf: (state: QueueState) => number): EndpointQueue {
  return {
    mayBegin: (now) => state.underWay < state.pace.width && !isPaused(state.pace, now) && !isStalled(state, now),
    isFast: () => state.isFast,
    hasJustResponded: (now) => state.respondedAt !== null && now.getTime() - state.respondedAt.getTime() < STALLED_MS,
    isNarrow: () => state.underWay < FRESH_PACE.width,
    take(now) {
      const next = state.waiting[state.started];
      if (next === undefined) return null;
      state.started += 1;
      if (state.underWay === 0) state.movedAt = now;
      state.underWay += 1;
      // Otherwise a queue that never runs empty would keep everything that it was ever given.
      if (state.started === state.waiting.length || state.started === STARTED_KEPT) {
        state.waiting.splice(0, state.started);
        state.started = 0;
      }
      return next;
    },
    putBack() {
      state.underWay -= 1;
    },
    finish(result, now) {
      state.underWay -= 1;
      state.movedAt = now;
      if (result.statusCode !== null) state.respondedAt = now;
      state.pace = nextPace(state.pace, result, now);
      const wasFailing = state.isFailing;
      state.isFailing = !result.succeeded;
      state.isFast = result.statusCode !== null && result.durationMs < SLOW_MS;
      return wasFailing;
    },
    wantsMore: (now) =>
      !state.isDrained && !isPaused(state.pace, now) && waitingIn(state) < aheadOf(state) * REFILL_SHARE,
  };
}

function waitingIn({ waiting, started }: QueueState): number {
  return waiting.length - started;
}

function leftOf({ waiting, started }: QueueState): readonly ClaimedDelivery[] {
  return waiting.slice(started).map(({ delivery }) => delivery);
}

function isStalled({ underWay, movedAt }: QueueState, now: Date): boolean {
  return underWay > 0 && movedAt !== null && now.getTime() - movedAt.getTime() >= STALLED_MS;
}

function isPaused({ pausedUntil }: EndpointPace, now: Date): boolean {
  return pausedUntil !== null && now < pausedUntil;
}
