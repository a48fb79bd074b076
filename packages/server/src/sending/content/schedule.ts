import { type IsoDuration, LIMITS, type ScheduledAt } from '@postrider/core';
import type { Refusal } from '../acceptance.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

export type ScheduleVerdict =
  /** Null means now. */
  { readonly ok: true; readonly at: Date | null } | { readonly ok: false; readonly refusal: Refusal };

/**
 * When a send is due. A time that has just passed means now, because clocks differ and requests take a moment. A time further back is a
 * mistake, and so is one so far ahead that the sender's account may have changed completely by then.
 */
export function resolveSchedule(given: ScheduledAt, now: Date): ScheduleVerdict {
  const at = given.kind === 'at' ? given.at : addDuration(now, given.duration);
  const aheadMs = at.getTime() - now.getTime();
  if (aheadMs > LIMITS.scheduleDaysMax * DAY_MS) {
    return refuse(`is more than ${LIMITS.scheduleDaysMax} days ahead`);
  }
  if (aheadMs < -LIMITS.schedulePastSeconds * SECOND_MS) {
    return refuse(`is more than ${LIMITS.schedulePastSeconds} seconds in the past`);
  }
  return { ok: true, at: aheadMs > 0 ? at : null };
}

function refuse(message: string): ScheduleVerdict {
  const detail = `scheduled_at: ${message}.`;
  const errors = [{ path: 'scheduled_at', code: 'out_of_range', message }];
  return { ok: false, refusal: { code: 'validation_failed', detail, errors } };
}

/** Adds months and years by the UTC calendar, clamped to the last day of the month; adds other units as elapsed time. */
function addDuration(from: Date, duration: IsoDuration): Date {
  const months = duration.years * 12 + duration.months;
  const moved = new Date(from);
  if (months > 0) {
    const day = moved.getUTCDate();
    moved.setUTCDate(1);
    moved.setUTCMonth(moved.getUTCMonth() + months);
    const daysInMonth = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
    moved.setUTCDate(Math.min(day, daysInMonth));
  }
  const days = duration.weeks * 7 + duration.days;
  const seconds = (duration.hours * 60 + duration.minutes) * 60 + duration.seconds;
  return new Date(moved.getTime() + days * DAY_MS + seconds * SECOND_MS);
}
