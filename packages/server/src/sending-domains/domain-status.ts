import { type DomainStatus, LIMITS } from '@postrider/core';

/** A domain's status, and the time since which it has had it. */
export interface StatusFacts {
  readonly status: Exclude<DomainStatus, 'removed'>;
  readonly since: Date;
}

/** Whether a domain with this status may send. The database's `is_sendable` says the same; test/db/sendable-domains.test.ts compares them. */
export function isSending(status: DomainStatus): boolean {
  return status === 'verified' || status === 'degraded';
}

/** The result of looking up the required records. `unknown`: at least one lookup failed, and no record is known to be missing. */
export type LookUpOutcome = 'complete' | 'missing' | 'unknown';

export interface StatusDecision extends StatusFacts {
  /** When the records are looked up next; null if no lookup is scheduled. */
  readonly nextCheckAt: Date | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FIRST_CHECK_MS = 5 * MINUTE_MS;
const LAST_CHECK_MS = HOUR_MS;
const DAILY_MS = 24 * HOUR_MS;
/** The interval is a quarter of the time waited so far: 5 minutes at the start, an hour from the fourth hour on. */
const GROWTH = 4;

/**
 * Decides a domain's status after a lookup of its records. A failed DNS lookup proves nothing: it neither verifies a domain nor degrades
 * one.
 * @param held whether another account has the name, so that it cannot be verified here
 */
export function decideStatus(facts: StatusFacts, outcome: LookUpOutcome, held: boolean, now: Date): StatusDecision {
  switch (facts.status) {
    case 'failed':
    case 'pending':
      if (outcome === 'complete' && !held) return verified(now);
      return facts.status === 'failed' ? { ...facts, nextCheckAt: null } : stillPending(facts, now);
    case 'verified':
      if (outcome === 'missing') return { status: 'degraded', since: now, nextCheckAt: after(now, HOUR_MS) };
      return { ...facts, nextCheckAt: after(now, outcome === 'complete' ? DAILY_MS : HOUR_MS) };
    case 'degraded':
      if (outcome === 'complete') return verified(now);
      if (outcome === 'missing' && now >= graceEnd(facts.since))
        return { status: 'failed', since: now, nextCheckAt: null };
      return { ...facts, nextCheckAt: soonest(after(now, HOUR_MS), graceEnd(facts.since), now) };
  }
}

/** The status of a new domain, or of one that starts again. */
export function beginPending(now: Date): StatusDecision {
  return { status: 'pending', since: now, nextCheckAt: after(now, FIRST_CHECK_MS) };
}

function verified(now: Date): StatusDecision {
  return { status: 'verified', since: now, nextCheckAt: after(now, DAILY_MS) };
}

function stillPending(facts: StatusFacts, now: Date): StatusDecision {
  const end = after(facts.since, LIMITS.domainPendingHours * HOUR_MS);
  if (now >= end) return { status: 'failed', since: now, nextCheckAt: null };
  const waitedMs = now.getTime() - facts.since.getTime();
  const pauseMs = Math.min(LAST_CHECK_MS, Math.max(FIRST_CHECK_MS, waitedMs / GROWTH));
  return { ...facts, nextCheckAt: soonest(after(now, pauseMs), end, now) };
}

function graceEnd(since: Date): Date {
  return after(since, LIMITS.domainGraceHours * HOUR_MS);
}

/** Schedules the check at the end of a time limit if that is earlier, and not up to an hour later. An end in the past is ignored. */
function soonest(next: Date, end: Date, now: Date): Date {
  return end > now && end < next ? end : next;
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
