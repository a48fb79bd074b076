import type { Sql } from '../db/client.ts';
import { claimByDestination, type DestinationCursor } from '../db/queries/claim-by-destination.ts';
import type { ClaimedDelivery, ClaimOptions } from '../db/queries/claim-deliveries.ts';
import type { ClaimCapacity } from './destination-queues.ts';

/** Claims deliveries by the capacity of their destinations, round robin over all accounts and their destinations. */
export interface DestinationClaims {
  claim(capacity: ClaimCapacity, options: Omit<ClaimOptions, 'afterAccount'>): Promise<ClaimBatch>;
  /** Starts a new drain, which continues where the last one stopped. */
  begin(): void;
}

export interface ClaimBatch {
  readonly claims: readonly ClaimedDelivery[];
  /** Nothing more is due now. */
  readonly isOver: boolean;
}

/**
 * Looking past the oldest rows doubles the cost of a claim. If the oldest rows are enough, only this share of the claims
 * does it, so that later rows do not starve.
 */
const LOOKING_SHARE = 0.25;
/** When the oldest rows returned little, so many claims look past them: a backlog for blocked destinations is in front of the rest. */
const LOOKS_AFTER_SHORTAGE = 16;
/** After so many claims in a row that return nothing, the rest waits for the next timer run. */
const MAX_EMPTY_CLAIMS = 10;

export function createDestinationClaims(sql: Sql, random: () => number, firstAccount: string): DestinationClaims {
  let afterAccount = firstAccount;
  let cursors: readonly DestinationCursor[] = [];
  let looksAhead = 0;
  let emptyClaims = 0;

  /** Keeps the cursors of accounts that this claim did not look at. */
  function mergeCursors(found: readonly DestinationCursor[], from: string, last: string | null): void {
    const isElsewhere = ({ account }: DestinationCursor) => account <= from || (last !== null && account > last);
    cursors = [...cursors.filter(isElsewhere), ...found];
  }

  async function claim(capacity: ClaimCapacity, options: Omit<ClaimOptions, 'afterAccount'>): Promise<ClaimBatch> {
    const from = afterAccount;
    const isLooking = looksAhead > 0 || random() < LOOKING_SHARE;
    const found = await claimByDestination(sql, {
      ...options,
      ...{ afterAccount: from, rooms: capacity.named, otherRoom: capacity.others, lookAfter: cursors, isLooking },
    });
    const { claims, lastAccount } = found;
    if (isLooking) mergeCursors(found.lookAfter, from, lastAccount);
    if (isLooking) looksAhead = Math.max(0, looksAhead - 1);
    else if (claims.length < options.limit / 2) looksAhead = LOOKS_AFTER_SHORTAGE;
    afterAccount = lastAccount ?? firstAccount;
    emptyClaims = claims.length > 0 || !isLooking ? 0 : emptyClaims + 1;
    const isAllSeen = isLooking && from === firstAccount && lastAccount === null && cursors.length === 0;
    // An account that returned less than its share has no more rows that fit.
    const isAllTaken = isAllSeen && claims.length < options.limit && mostOfOne(claims) < found.share;
    return {
      claims,
      isOver: isAllTaken || (claims.length === 0 && isLooking && (isAllSeen || emptyClaims >= MAX_EMPTY_CLAIMS)),
    };
  }

  return {
    claim,
    begin() {
      emptyClaims = 0;
    },
  };
}

/** The most rows that one account returned. */
function mostOfOne(claims: readonly ClaimedDelivery[]): number {
  const counts = new Map<string, number>();
  for (const { accountId } of claims) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}
