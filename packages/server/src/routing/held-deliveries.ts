import type { ClaimedDelivery, DeliveryContent, Lease } from '../db/queries/claim-deliveries.ts';
import type { Ticket } from './destination-lanes.ts';

/** A delivery that this process has a lease on. */
export interface HeldDelivery {
  claim: ClaimedDelivery;
  leaseId: string;
  /** Null once the message is made: hundreds of bodies that wait for a reply would only be copied about by the garbage collector. */
  content: DeliveryContent | null;
  /** Its outcome is known and only has to be recorded, or it is not ours any more. */
  isSettled: boolean;
  /** Its place in the lane of its destination; null where it has none. */
  ticket: Ticket | null;
}

/** The deliveries of this process, from the claim to the recorded outcome. */
export interface HeldDeliveries {
  /** All of them. */
  readonly size: number;
  /** Those whose outcome is not known yet. */
  readonly open: number;
  /** Those of them that have no lane, and so are under way or soon will be. */
  readonly openOutside: number;
  /**
   * Takes over claimed deliveries and answers those that are to be worked on. One that is still held here, because its lease ran out while
   * this process slept or the database was away, goes on under the new lease: a second attempt would be a second copy.
   */
  hold(claims: readonly ClaimedDelivery[], leaseId: string): readonly HeldDelivery[];
  /** Gives a delivery its place in a lane. */
  giveTicket(delivery: HeldDelivery, ticket: Ticket): void;
  /** The outcome is known, and its place in the lane is free: only recording is left. */
  settle(delivery: HeldDelivery): void;
  letGo(delivery: HeldDelivery): void;
  leases(): readonly Lease[];
  listOpen(): readonly HeldDelivery[];
  /** Resolves when a condition on the counts is met; it is looked at whenever they change, and when `wake` is called. */
  until(isMet: () => boolean): Promise<void>;
  wake(): void;
}

export function createHeldDeliveries(): HeldDeliveries {
  const held = new Map<string, HeldDelivery>();
  const waiters = new Set<{ readonly isMet: () => boolean; readonly resolve: () => void }>();
  let open = 0;
  let openOutside = 0;

  function wake(): void {
    for (const waiter of waiters) {
      if (!waiter.isMet()) continue;
      waiters.delete(waiter);
      waiter.resolve();
    }
  }

  function hold(claims: readonly ClaimedDelivery[], leaseId: string): readonly HeldDelivery[] {
    return claims.flatMap((claim) => {
      const known = held.get(claim.id);
      if (known !== undefined) {
        known.claim = claim;
        known.leaseId = leaseId;
        return [];
      }
      const delivery = { claim, leaseId, content: null, isSettled: false, ticket: null };
      held.set(claim.id, delivery);
      open += 1;
      openOutside += 1;
      return [delivery];
    });
  }

  function settle(delivery: HeldDelivery): void {
    const { ticket, isSettled } = delivery;
    delivery.isSettled = true;
    delivery.ticket = null;
    if (!isSettled) open -= 1;
    if (!isSettled && ticket === null) openOutside -= 1;
    ticket?.release();
    wake();
  }

  return {
    get size() {
      return held.size;
    },
    get open() {
      return open;
    },
    get openOutside() {
      return openOutside;
    },
    hold,
    giveTicket(delivery, ticket) {
      delivery.ticket = ticket;
      openOutside -= 1;
    },
    settle,
    letGo(delivery) {
      // By now the same row may be held anew, for its next attempt.
      if (held.get(delivery.claim.id) === delivery) held.delete(delivery.claim.id);
      settle(delivery);
    },
    leases: () =>
      [...held.values()].map(({ claim, leaseId }) => ({ accountId: claim.accountId, id: claim.id, leaseId })),
    listOpen: () => [...held.values()].filter(({ isSettled }) => !isSettled),
    until: (isMet) =>
      new Promise((resolve) => {
        waiters.add({ isMet, resolve });
        wake();
      }),
    wake,
  };
}
