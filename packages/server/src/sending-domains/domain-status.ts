import { type DomainStatus, LIMITS } from '@postrider/core';

/** A domain’s status and since when it has it. */
export interface StatusFacts {
  readonly status: Exclude<DomainStatus, 'removed'>;
  readonly since: Date;
}

/** What a look-up of the required records came to: `unknown` where the DNS could not be asked about one and none is known to be missing. */
export type LookUpOutcome = 'complete' | 'missing' | 'unknown';

export interface StatusDecision extends StatusFacts {
  /** When its records are looked up next; null where nothing is due by itself. */
  readonly nextCheckAt: Date | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FIRST_CHECK_MS = 5 * MINUTE_MS;
const LAST_CHECK_MS = HOUR_MS;
const DAILY_MS = 24 * HOUR_MS;
/** The pauses are a quarter of the time waited so far: 5 minutes at the beginning, an hour from the fourth hour on. */
const GROWTH = 4;

/**
 * What becomes of a domain after its records were looked up. An unanswerable DNS proves nothing: it neither verifies a domain nor takes
 * anything away from one.
 * @param held another account holds the name, so that it cannot be verified here.
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

/** How a domain begins, or begins anew. */
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

/** The end of a time limit is looked at when it comes, and not up to an hour later; one that is past counts no more. */
function soonest(next: Date, end: Date, now: Date): Date {
  return end > now && end < next ? end : next;
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
