import { LIMITS } from '@postrider/core';

/** Counting stops here, one past the largest total that is exact. */
export const EXACT_COUNT_CAP = LIMITS.exactTotalMax + 1;

/**
 * A count that reached the cap is a lower bound and is marked as an estimate. Rows and count are read concurrently while rows change, so
 * the total is never less than the matches that this caller has `seen`. It is never 0 on a page that has rows or follows one.
 */
export function toTotal(count: number, seen: number): { readonly total: number; readonly totalIsEstimate: boolean } {
  return { total: Math.max(count, seen), totalIsEstimate: count >= EXACT_COUNT_CAP };
}

/** The matches that a page proves: its rows, and the row that its cursor follows. */
export function countSeen(rows: readonly unknown[], before: string | null): number {
  return rows.length + (before === null ? 0 : 1);
}
