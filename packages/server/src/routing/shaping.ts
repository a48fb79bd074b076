import type { DestinationHealth } from './destination-health.ts';

/** How much to send to one destination at once, learned from past results. Pure functions: the caller passes the time as `now`. */
export interface Shape {
  /** Attempts at once. */
  readonly limit: number;
  /** Clean sends in the current round. A round has as many sends as the limit. */
  readonly clean: number;
  /** Counts the halvings: a send that started before the last one says nothing about the limit since then. */
  readonly era: number;
  /** Times in a row without a reply, or with the connection rejected. */
  readonly failures: number;
  readonly breaker: Breaker | null;
  /** A server responded to the last send. */
  readonly isProven: boolean;
}

/** Until `endsAt` nothing is sent, then one delivery attempt at a time, until a server responds. */
export interface Breaker {
  readonly endsAt: Date;
  readonly pauseMs: number;
}

const START_AT_ONCE = 2;
const MAX_AT_ONCE = 10;
const FAILURES_TO_OPEN = 3;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

/**
 * Destinations that are known to accept less, by the domain of their mail servers: the two largest, and French consumer
 * providers, which reject a third connection from one address.
 */
const LESS_AT_ONCE: Readonly<Record<string, number>> = {
  'google.com': 5,
  'googlemail.com': 5,
  'outlook.com': 5,
  'mx.microsoft': 5,
  'orange.fr': 2,
  'wanadoo.fr': 2,
  'free.fr': 2,
  'laposte.net': 2,
  'sfr.fr': 2,
};

/** The most concurrent sends ever to a group of destinations. */
export function mostAtOnce(group: string): number {
  return (Object.hasOwn(LESS_AT_ONCE, group) ? LESS_AT_ONCE[group] : undefined) ?? MAX_AT_ONCE;
}

export const FRESH_SHAPE: Shape = {
  limit: START_AT_ONCE,
  clean: 0,
  era: 0,
  failures: 0,
  breaker: null,
  isProven: false,
};

/** Attempts that may be under way at this moment. */
export function allowedAtOnce({ limit, breaker }: Shape, now: Date): number {
  if (breaker === null) return limit;
  return now < breaker.endsAt ? 0 : 1;
}

/** When sending may resume; null if it may now. */
export function closedUntil({ breaker }: Shape, now: Date): Date | null {
  return breaker !== null && now < breaker.endsAt ? breaker.endsAt : null;
}

/** @param era the shape's when the delivery attempt was begun. */
export function afterAttempt(shape: Shape, health: DestinationHealth, era: number, now: Date, most: number): Shape {
  switch (health) {
    case 'unknown':
      return shape;
    case 'clean':
      return afterClean(shape, most);
    case 'throttled':
      return afterThrottle(shape, era);
    case 'turned-away':
      return afterRefusal(shape, era, now);
    case 'unreachable':
      return afterFailure(shape, now);
  }
}

function afterClean(shape: Shape, most: number): Shape {
  const responded = { ...shape, failures: 0, breaker: null, isProven: true };
  if (shape.clean + 1 < shape.limit) return { ...responded, clean: shape.clean + 1 };
  return { ...responded, clean: 0, limit: Math.min(most, shape.limit + 1) };
}

/** Concurrent sends get the same response, so they count once. */
function afterThrottle(shape: Shape, era: number): Shape {
  const responded = { ...shape, clean: 0, failures: 0, breaker: null, isProven: true };
  if (era !== shape.era) return responded;
  return { ...responded, era: era + 1, limit: Math.max(1, Math.floor(shape.limit / 2)) };
}

/**
 * The destination asked us to slow down, which also counts as a failure. Concurrent sends count once, as with a server
 * that limits connections.
 */
function afterRefusal(shape: Shape, era: number, now: Date): Shape {
  if (era !== shape.era) return shape;
  const failed = afterFailure(shape, now);
  const isOpened = failed.breaker !== shape.breaker;
  return { ...failed, era: era + 1, limit: isOpened ? failed.limit : Math.max(1, Math.floor(shape.limit / 2)) };
}

function afterFailure(shape: Shape, now: Date): Shape {
  const failed = { ...shape, clean: 0, failures: shape.failures + 1, isProven: false };
  const { breaker } = shape;
  // Sends that were in progress when the breaker opened do not count.
  if (breaker !== null && now < breaker.endsAt) return failed;
  if (breaker === null && failed.failures < FAILURES_TO_OPEN) return failed;
  const pauseMs = breaker === null ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, breaker.pauseMs * 2);
  return { ...failed, limit: START_AT_ONCE, breaker: { endsAt: new Date(now.getTime() + pauseMs), pauseMs } };
}
