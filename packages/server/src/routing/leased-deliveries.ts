import type { ClaimedDelivery, Lease } from '../db/queries/claim-deliveries.ts';
import type { DeliveryContent } from '../db/queries/load-contents.ts';
import type { QueueSlot } from './destination-queues.ts';

/** A delivery that this process has a lease on. */
export interface LeasedDelivery {
  claim: ClaimedDelivery;
  leaseId: string;
  /** Null once the message is built: otherwise the garbage collector would keep copying hundreds of bodies that only wait for a reply. */
  content: DeliveryContent | null;
  /** When the attempt started; null before that, and after it is shown as `sending`. */
  startedAtMs: number | null;
  /** Its outcome is known and only has to be recorded, or the lease is lost. */
  isSettled: boolean;
  /** Its slot in the queue of its destination; null when it has none. */
  slot: QueueSlot | null;
}

/** The deliveries of this process, from the claim to the recorded outcome. */
export interface LeasedDeliveries {
  /** All of them. */
  readonly size: number;
  /** Those without a known outcome. */
  readonly open: number;
  /** Those of them that have no queue, and so are under way or soon will be. */
  readonly openUnqueued: number;
  /**
   * Adds claimed deliveries and returns those to work on. One that is still leased here, because its lease ran out while
   * this process slept or the database was down, continues under the new lease: a second attempt would send a second copy.
   */
  add(claims: readonly ClaimedDelivery[], leaseId: string): readonly LeasedDelivery[];
  /** Assigns a delivery its slot in a queue. */
  assignSlot(delivery: LeasedDelivery, slot: QueueSlot): void;
  /** Records that the outcome is known, and frees the slot: only the write is left. */
  settle(delivery: LeasedDelivery): void;
  remove(delivery: LeasedDelivery): void;
  leases(): readonly Lease[];
  list(): readonly LeasedDelivery[];
  listOpen(): readonly LeasedDelivery[];
  /** Resolves when a condition on the counts is met; it is checked whenever they change, and when `wake` is called. */
  until(isMet: () => boolean): Promise<void>;
  wake(): void;
}

export function createLeasedDeliveries(): LeasedDeliveries {
  const leased = new Map<string, LeasedDelivery>();
  const waiters = new Set<{ readonly isMet: () => boolean; readonly resolve: () => void }>();
  let open = 0;
  let openUnqueued = 0;

  function wake(): void {
    for (const waiter of waiters) {
      if (!waiter.isMet()) continue;
      waiters.delete(waiter);
      waiter.resolve();
    }
  }

  function add(claims: readonly ClaimedDelivery[], leaseId: string): readonly LeasedDelivery[] {
    return claims.flatMap((claim) => {
      const known = leased.get(claim.id);
      if (known !== undefined) {
        known.claim = claim;
        known.leaseId = leaseId;
        return [];
      }
      const delivery = { claim, leaseId, content: null, startedAtMs: null, isSettled: false, slot: null };
      leased.set(claim.id, delivery);
      open += 1;
      openUnqueued += 1;
      return [delivery];
    });
  }

  function settle(delivery: LeasedDelivery): void {
    const { slot, isSettled } = delivery;
    delivery.isSettled = true;
    delivery.slot = null;
    if (!isSettled) open -= 1;
    if (!isSettled && slot === null) openUnqueued -= 1;
    slot?.release();
    wake();
  }

  return {
    get size() {
      return leased.size;
    },
    get open() {
      return open;
    },
    get openUnqueued() {
      return openUnqueued;
    },
    add,
    assignSlot(delivery, slot) {
      delivery.slot = slot;
      openUnqueued -= 1;
    },
    settle,
    remove(delivery) {
      // By now the same row may be leased again, for its next attempt.
      if (leased.get(delivery.claim.id) === delivery) leased.delete(delivery.claim.id);
      settle(delivery);
    },
    leases: () =>
      [...leased.values()].map(({ claim, leaseId }) => ({ accountId: claim.accountId, id: claim.id, leaseId })),
    list: () => [...leased.values()],
    listOpen: () => [...leased.values()].filter(({ isSettled }) => !isSettled),
    until: (isMet) =>
      new Promise((resolve) => {
        waiters.add({ isMet, resolve });
        wake();
      }),
    wake,
  };
}
