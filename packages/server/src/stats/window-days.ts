import { LIMITS } from '@postrider/core';
import { ProblemError } from '../problem.ts';

/** UTC days, `YYYY-MM-DD`, inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;

/** The days of the requested window. @throws ProblemError `window_too_large`. */
export function readWindow(days: number, now: Date): DayRange {
  if (days > LIMITS.statsWindowDaysMax) {
    throw new ProblemError('window_too_large', {
      detail: `The window of ${days} days exceeds the limit of ${LIMITS.statsWindowDaysMax}.`,
      fix: `Request \`${LIMITS.statsWindowDaysMax}d\` or less.`,
    });
  }
  return lastDays(days, now);
}

/** This many days, ending with the day of `now`. */
export function lastDays(days: number, now: Date): DayRange {
  return { from: utcDay(new Date(now.getTime() - (days - 1) * DAY_MS)), to: utcDay(now) };
}

type Span = 1 | 4 | 16;

/**
 * The same days as few roll-ups: spans of sixteen and of four days, aligned to the day number since 1970, and the single
 * days before and after them.
 */
export function spansOf({ from, to }: DayRange): readonly (DayRange & { readonly span: Span })[] {
  return divide(Date.parse(from), Date.parse(to) + DAY_MS, [16, 4, 1]);
}

function divide(
  startMs: number,
  endMs: number,
  spans: readonly Span[],
): readonly (DayRange & { readonly span: Span })[] {
  const [span, ...smaller] = spans;
  if (span === undefined || startMs >= endMs) return [];
  const firstMs = Math.ceil(startMs / (span * DAY_MS)) * span * DAY_MS;
  const lastMs = Math.floor(endMs / (span * DAY_MS)) * span * DAY_MS;
  if (firstMs >= lastMs) return divide(startMs, endMs, smaller);
  const whole = { span, from: utcDay(new Date(firstMs)), to: utcDay(new Date(lastMs - DAY_MS)) };
  return [...divide(startMs, firstMs, smaller), whole, ...divide(lastMs, endMs, smaller)];
}

/** Each day of a range, oldest first. */
export function daysOf({ from, to }: DayRange): readonly string[] {
  const days: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS) days.push(utcDay(new Date(ms)));
  return days;
}

export function utcDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
