import { LIMITS } from '@postrider/core';

/** Counting stops here: one past what is promised to be exact. */
export const EXACT_COUNT_CAP = LIMITS.exactTotalMax + 1;

/** A count that reached the cap is a floor, and says so. */
export function toTotal(count: number): { readonly total: number; readonly totalIsEstimate: boolean } {
  return { total: count, totalIsEstimate: count >= EXACT_COUNT_CAP };
}
