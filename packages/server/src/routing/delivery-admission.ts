import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { type ClaimOptions, requeueDeliveries } from '../db/queries/claim-deliveries.ts';
import type { Transport } from '../smtp-client/transport.ts';
import { batchPerTick } from './batch-per-tick.ts';
import { createDestinationClaims } from './destination-claims.ts';
import { createDestinationQueues } from './destination-queues.ts';
import type { LeasedDeliveries, LeasedDelivery } from './leased-deliveries.ts';

export interface DeliveryAdmissionOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly transports: ReadonlyMap<string, Transport>;
  readonly leased: LeasedDeliveries;
  readonly maxInFlight: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Claims start with the account after this one. */
  readonly firstAccount: string;
  /** Starts deliveries that have a slot. */
  readonly begin: (deliveries: readonly LeasedDelivery[]) => Promise<void>;
  /** Called when a claim would return more. */
  readonly onRoom: () => void;
  readonly onError: (error: unknown, what: string) => void;
}

/** Claims deliveries and reserves their slots in the queues of their destinations. */
export interface DeliveryAdmission {
  /** Makes one claim; false when nothing more is due now. */
  claim(asked: Omit<ClaimOptions, 'afterAccount'>): Promise<boolean>;
  /** Reserves slots for claimed deliveries and starts them; requeues those that get no slot. */
  admit(deliveries: readonly LeasedDelivery[]): Promise<void>;
  /** Starts a new round of claims. */
  startOver(): void;
  /** Requeues a delivery that was not started: the attempt does not count. */
  requeue(delivery: LeasedDelivery, nextAt: Date): void;
  /** Denies a permit to every delivery that waits for one. */
  close(): void;
  /** Resolves when every requeue until now is written. */
  flush(): Promise<void>;
}

/** Destinations that get capacity within this time share one claim. */
const ROOM_DEBOUNCE_MS = 10;

/** Null when no transport routes by destination: with one relay there are no destinations to protect. */
export function createDeliveryAdmission(options: DeliveryAdmissionOptions): DeliveryAdmission | null {
  const { sql, clock, transports, leased, onError } = options;
  const shaped = [...transports.values()].find(({ groupOf }) => groupOf !== undefined);
  if (shaped === undefined) return null;
  const queues = createDestinationQueues({
    clock,
    groupOf: async (domain) => (await shaped.groupOf?.(domain)) ?? domain,
    maxReserved: options.maxInFlight,
    ...(shaped.place === undefined ? {} : { place: shaped.place }),
    random: options.random,
    onRoom: reportRoomSoon,
  });
  const claims = createDestinationClaims(sql, options.random, options.firstAccount);
  const requeueSoon = batchPerTick<Refused>((refused) => void requeue(refused));
  let writing: Promise<unknown> = Promise.resolve();
  let roomTimer: NodeJS.Timeout | null = null;
  let isClosed = false;

  function reportRoomSoon(): void {
    if (isClosed) return;
    roomTimer ??= setTimeout(() => {
      roomTimer = null;
      options.onRoom();
    }, ROOM_DEBOUNCE_MS);
  }

  async function claim(asked: Omit<ClaimOptions, 'afterAccount'>): Promise<boolean> {
    const capacity = queues.capacity();
    const claim = await claims.claim(capacity, asked);
    const placed = place(leased.add(claim.claims, asked.leaseId));
    // Before anything starts: a delivery that ends at once reports free room only if more is known to wait.
    const hasRoom = queues.recordClaimed(
      capacity,
      claim.claims.map(({ destination }) => destination),
    );
    await beginPlaced(placed);
    return hasRoom || !claim.isOver;
  }

  function place(deliveries: readonly LeasedDelivery[]): Placed {
    const ready: LeasedDelivery[] = [];
    const refused: Refused[] = [];
    for (const delivery of deliveries) {
      const nextAt = reserve(delivery);
      if (nextAt !== null) refused.push({ delivery, nextAt });
      else if (delivery.slot === null || delivery.slot.settled === null) ready.push(delivery);
    }
    return { ready, refused };
  }

  async function beginPlaced({ ready, refused }: Placed): Promise<void> {
    await requeue(refused);
    await options.begin(ready);
  }

  /** Returns when to requeue the delivery; null when it has a slot, or needs none. */
  function reserve(delivery: LeasedDelivery): Date | null {
    const { route, destination, expiresAt } = delivery.claim;
    if (destination === '') return null;
    if (transports.get(route)?.groupOf === undefined) {
      queues.bypass(destination);
      return null;
    }
    const slot = queues.reserve(destination, expiresAt <= clock.now());
    if ('requeueAt' in slot) return slot.requeueAt;
    leased.assignSlot(delivery, slot);
    void slot.settled?.then((refusal) => admitLate(delivery, refusal?.requeueAt ?? null));
    return null;
  }

  function admitLate(delivery: LeasedDelivery, nextAt: Date | null): void {
    if (delivery.isSettled) return;
    if (nextAt !== null) requeueSoon({ delivery, nextAt });
    else void options.begin([delivery]).catch((error: unknown) => onError(error, 'beginning deliveries'));
  }

  async function requeue(given: readonly Refused[]): Promise<void> {
    // A stop may have released some of them meanwhile.
    const refused = given.filter(({ delivery }) => !delivery.isSettled);
    if (refused.length === 0) return;
    const leases = refused.map(({ delivery: { claim, leaseId }, nextAt }) => {
      const until = nextAt < claim.expiresAt ? nextAt : claim.expiresAt;
      return { accountId: claim.accountId, id: claim.id, leaseId, nextAt: until };
    });
    for (const { delivery } of refused) leased.remove(delivery);
    // If this fails, the leases expire anyway.
    const written = requeueDeliveries(sql, leases).catch((error: unknown) => onError(error, 'requeueing deliveries'));
    writing = Promise.all([writing, written]);
    await written;
  }

  return {
    claim,
    admit: (deliveries) => beginPlaced(place(deliveries)),
    startOver: claims.begin,
    requeue: (delivery, nextAt) => requeueSoon({ delivery, nextAt }),
    close() {
      isClosed = true;
      if (roomTimer !== null) clearTimeout(roomTimer);
      queues.close();
    },
    async flush() {
      await writing;
    },
  };
}

interface Placed {
  readonly ready: readonly LeasedDelivery[];
  readonly refused: readonly Refused[];
}

interface Refused {
  readonly delivery: LeasedDelivery;
  readonly nextAt: Date;
}
