import type { ClaimedDelivery, DeliveryContent, Lease } from '../db/queries/claim-deliveries.ts';

/** A delivery that this process has a lease on. */
export interface HeldDelivery {
  claim: ClaimedDelivery;
  leaseId: string;
  /** Null once the message is made: hundreds of bodies that wait for a reply would only be copied about by the garbage collector. */
  content: DeliveryContent | null;
  /** True when its outcome is known and only has to be recorded. */
  isDecided: boolean;
}

/** The deliveries of this process, from the claim to the recorded outcome. */
export interface HeldDeliveries {
  readonly size: number;
  /**
   * Takes over claimed deliveries and answers those that are to be worked on. One that is still being handed over here, because its lease
   * ran out while this process slept or the database was away, goes on under the new lease: a second hand-over would be a second copy.
   */
  hold(claims: readonly ClaimedDelivery[], leaseId: string): readonly HeldDelivery[];
  letGo(delivery: HeldDelivery): void;
  leases(): readonly Lease[];
  /** Those whose outcome is not known yet. */
  undecided(): readonly HeldDelivery[];
  /** Resolves when fewer than `count` are held, or when nothing is to be claimed any more. */
  untilBelow(count: number): Promise<void>;
  untilEmpty(): Promise<void>;
  /** Ends every wait for room, now and later. */
  endClaims(): void;
}

export function createHeldDeliveries(): HeldDeliveries {
  const held = new Map<string, HeldDelivery>();
  const waiters = new Set<{ readonly isOver: () => boolean; readonly resolve: () => void }>();
  let claimsEnded = false;

  function wake(): void {
    for (const waiter of waiters) {
      if (!waiter.isOver()) continue;
      waiters.delete(waiter);
      waiter.resolve();
    }
  }

  function until(isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      waiters.add({ isOver, resolve });
      wake();
    });
  }

  function hold(claims: readonly ClaimedDelivery[], leaseId: string): readonly HeldDelivery[] {
    return claims.flatMap((claim) => {
      const known = held.get(claim.id);
      if (known !== undefined && !known.isDecided) {
        known.claim = claim;
        known.leaseId = leaseId;
        return [];
      }
      const delivery = { claim, leaseId, content: null, isDecided: false };
      held.set(claim.id, delivery);
      return [delivery];
    });
  }

  return {
    get size() {
      return held.size;
    },
    hold,
    letGo(delivery) {
      // By now the same row may be held anew, for its next attempt.
      if (held.get(delivery.claim.id) === delivery) held.delete(delivery.claim.id);
      wake();
    },
    leases: () =>
      [...held.values()].map(({ claim, leaseId }) => ({ accountId: claim.accountId, id: claim.id, leaseId })),
    undecided: () => [...held.values()].filter(({ isDecided }) => !isDecided),
    untilBelow: (count) => until(() => claimsEnded || held.size < count),
    untilEmpty: () => until(() => held.size === 0),
    endClaims() {
      claimsEnded = true;
      wake();
    },
  };
}
