import { LIMITS } from '@postrider/core';

const DAY_MS = 86_400_000;

/** When an unused session ends: after its idle time, and at the latest at its maximum age. */
export function endOfSession({ startedAt, seenAt }: { readonly startedAt: Date; readonly seenAt: Date }): Date {
  const idle = seenAt.getTime() + LIMITS.sessionIdleDays * DAY_MS;
  return new Date(Math.min(idle, latestEndOfSession({ startedAt }).getTime()));
}

/** When a session ends at the latest, however much it is used. */
export function latestEndOfSession({ startedAt }: { readonly startedAt: Date }): Date {
  return new Date(startedAt.getTime() + LIMITS.sessionDays * DAY_MS);
}

/** Sessions last used or started before these times have ended. */
export function sessionHorizons(now: Date): { readonly seenBefore: Date; readonly startedBefore: Date } {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  return { seenBefore: before(LIMITS.sessionIdleDays), startedBefore: before(LIMITS.sessionDays) };
}
