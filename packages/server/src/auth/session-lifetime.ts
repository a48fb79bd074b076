import { LIMITS } from '@postrider/core';

const DAY_MS = 86_400_000;

/** When a session ends that is not used any more: after its idle time, and in any case so long after it began. */
export function endOfSession({ startedAt, seenAt }: { readonly startedAt: Date; readonly seenAt: Date }): Date {
  const idle = seenAt.getTime() + LIMITS.sessionIdleDays * DAY_MS;
  return new Date(Math.min(idle, latestEndOfSession({ startedAt }).getTime()));
}

/** When a session ends however much it is used. */
export function latestEndOfSession({ startedAt }: { readonly startedAt: Date }): Date {
  return new Date(startedAt.getTime() + LIMITS.sessionDays * DAY_MS);
}

/** Sessions last seen or begun at these times have ended. */
export function sessionHorizons(now: Date): { readonly seenBefore: Date; readonly startedBefore: Date } {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  return { seenBefore: before(LIMITS.sessionIdleDays), startedBefore: before(LIMITS.sessionDays) };
}
