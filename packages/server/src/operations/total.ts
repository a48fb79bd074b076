import { LIMITS } from '@postrider/core';

/** Counting stops here: one past what is promised to be exact. */
export const EXACT_COUNT_CAP = LIMITS.exactTotalMax + 1;

/**
 * A count that reached the cap is a floor, and says so. Rows and count are read side by side, and rows come and change meanwhile: the total is
 * never less than the matches that this caller has `seen`, so it is never 0 on a page that has rows, or that follows one.
 */
export function toTotal(count: number, seen: number): { readonly total: number; readonly totalIsEstimate: boolean } {
  return { total: Math.max(count, seen), totalIsEstimate: count >= EXACT_COUNT_CAP };
}

/** The matches a page proves: its rows, and the one its cursor stands behind. */
export function countSeen(rows: readonly unknown[], before: string | null): number {
  return rows.length + (before === null ? 0 : 1);
}
