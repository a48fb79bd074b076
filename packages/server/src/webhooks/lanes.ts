import type { ClaimedDelivery } from '../db/queries/webhook-deliveries.ts';
import { FRESH_PACE, type LanePace, nextPace, type PaceSample } from './lane-pace.ts';

/** A delivery that was taken and not begun yet. */
export interface WaitingDelivery {
  readonly delivery: ClaimedDelivery;
  readonly takenAt: Date;
}

/** What this process has of one endpoint: what was taken, what is under way, and how fast it goes. */
export interface Lane {
  mayBegin(now: Date): boolean;
  /** Begins the next; null where nothing waits. */
  take(): WaitingDelivery | null;
  /** Takes back a beginning: nothing was sent. */
  leave(): void;
  /** Ends one that was begun; answers whether the endpoint was failing before. */
  finish(result: PaceSample & { readonly succeeded: boolean }, now: Date): boolean;
  /** Whether it could go on for longer with more than what was taken. */
  wantsMore(now: Date): boolean;
}

export interface LaneRooms {
  readonly rooms: ReadonlyMap<string, number>;
  readonly otherwise: number;
}

/** All lanes: none gets more of the room than its pace, so that none keeps another waiting. */
export interface Lanes {
  add(delivery: ClaimedDelivery, now: Date): void;
  /** How many more of each endpoint may be taken; `otherwise` of those that have no lane. */
  rooms(now: Date): LaneRooms;
  /** Notes of which endpoints more might have been taken: the others have nothing that is due. */
  noteTaken(asked: LaneRooms, taken: readonly ClaimedDelivery[], isCutOff: boolean): void;
  /** Those with something to begin, the one that waited longest for its turn first. */
  inTurn(): readonly Lane[];
  waitingIds(): readonly string[];
  waitingCount(): number;
  /** Forgets what was taken for an endpoint. */
  drop(id: string): void;
  /** Everything that was taken and not begun. */
  takeAll(): readonly ClaimedDelivery[];
}

/** Taken ahead, in widths of the lane, so that the endpoint is not kept waiting while more is taken. */
const AHEAD = 10;
/** Lanes that have nothing to do and nothing to remember are forgotten when there are more. */
const KEPT = 2_000;

interface LaneState {
  pace: LanePace;
  underWay: number;
  isFailing: boolean;
  waiting: WaitingDelivery[];
  /** How many at the beginning of `waiting` have been begun. */
  begun: number;
  /** Whether the last look found all that is due. */
  isDrained: boolean;
}

export function createLanes(): Lanes {
  const states = new Map<string, LaneState>();

  function stateOf(id: string): LaneState {
    const known = states.get(id);
    if (known !== undefined) return known;
    const fresh = { pace: FRESH_PACE, underWay: 0, isFailing: false, waiting: [], begun: 0, isDrained: false };
    states.set(id, fresh);
    return fresh;
  }

  function roomOf({ pace, underWay, waiting, begun }: LaneState, now: Date): number {
    if (isPaused(pace, now)) return 0;
    return Math.max(0, pace.width * AHEAD - underWay - (waiting.length - begun));
  }

  function tidy(now: Date): void {
    if (states.size <= KEPT) return;
    for (const [id, state] of states) {
      const isBusy = state.underWay > 0 || state.waiting.length > state.begun || isPaused(state.pace, now);
      if (!isBusy) states.delete(id);
    }
  }

  return {
    add(delivery, takenAt) {
      const state = stateOf(delivery.endpointId);
      state.waiting.push({ delivery, takenAt });
      state.isFailing ||= delivery.isFailing;
    },
    rooms(now) {
      tidy(now);
      const rooms = new Map([...states].map(([id, state]) => [id, roomOf(state, now)] as const));
      return { rooms, otherwise: FRESH_PACE.width * AHEAD };
    },
    noteTaken({ rooms, otherwise }, taken, isCutOff) {
      const counts = new Map<string, number>();
      for (const { endpointId } of taken) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
      for (const [id, state] of states) {
        state.isDrained = !isCutOff && (counts.get(id) ?? 0) < (rooms.get(id) ?? otherwise);
      }
    },
    inTurn() {
      const busy = [...states].filter(([, state]) => state.waiting.length > state.begun);
      // The next look begins behind the one that was first in this one.
      const [first] = busy;
      if (first !== undefined && busy.length > 1) {
        states.delete(first[0]);
        states.set(first[0], first[1]);
      }
      return busy.map(([, state]) => toLane(state));
    },
    waitingIds: () => [...states].filter(([, state]) => state.waiting.length > state.begun).map(([id]) => id),
    waitingCount() {
      let count = 0;
      for (const { waiting, begun } of states.values()) count += waiting.length - begun;
      return count;
    },
    drop(id) {
      const state = states.get(id);
      if (state === undefined) return;
      state.waiting = [];
      state.begun = 0;
    },
    takeAll() {
      const all = [...states.values()].flatMap(({ waiting, begun }) =>
        waiting.slice(begun).map(({ delivery }) => delivery),
      );
      states.clear();
      return all;
    },
  };
}

function toLane(state: LaneState): Lane {
  return {
    mayBegin: (now) => state.underWay < state.pace.width && !isPaused(state.pace, now),
    take() {
      const next = state.waiting[state.begun];
      if (next === undefined) return null;
      state.begun += 1;
      state.underWay += 1;
      // Shifting an array costs as much as it is long; so it is done once in a while.
      if (state.begun === state.waiting.length) {
        state.waiting = [];
        state.begun = 0;
      }
      return next;
    },
    leave() {
      state.underWay -= 1;
    },
    finish(result, now) {
      state.underWay -= 1;
      state.pace = nextPace(state.pace, result, now);
      const wasFailing = state.isFailing;
      state.isFailing = !result.succeeded;
      return wasFailing;
    },
    wantsMore: (now) =>
      !state.isDrained &&
      !isPaused(state.pace, now) &&
      state.waiting.length - state.begun < state.pace.width * (AHEAD / 2),
  };
}

function isPaused({ pausedUntil }: LanePace, now: Date): boolean {
  return pausedUntil !== null && now < pausedUntil;
}
