import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { type ClaimOptions, putBackDeliveries } from '../db/queries/claim-deliveries.ts';
import type { Transport } from '../smtp-client/transport.ts';
import { createDestinationLanes } from './destination-lanes.ts';
import { gather } from './gather.ts';
import type { HeldDeliveries, HeldDelivery } from './held-deliveries.ts';
import { createLaneClaims } from './lane-claims.ts';

export interface LaneEntranceOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly transports: ReadonlyMap<string, Transport>;
  readonly held: HeldDeliveries;
  readonly maxInFlight: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** For claims: begins with the account behind this one. */
  readonly firstAccount: string;
  /** Begins deliveries that have their place. */
  readonly begin: (deliveries: readonly HeldDelivery[]) => Promise<void>;
  /** Told when a claim would bring more. */
  readonly onRoom: () => void;
  readonly onError: (error: unknown, what: string) => void;
}

/** How deliveries come into the lanes of their destinations. */
export interface LaneEntrance {
  /** One claim; false where nothing more is to be found now. */
  claim(asked: Omit<ClaimOptions, 'afterAccount'>): Promise<boolean>;
  /** Gives what was claimed its place in the lane of its destination, and begins it; what has none is put back. */
  admit(deliveries: readonly HeldDelivery[]): Promise<void>;
  /** A new round of claims begins. */
  startOver(): void;
  /** Puts a delivery back of which nothing was begun: the attempt does not count. */
  putBack(delivery: HeldDelivery, nextAt: Date): void;
  /** Whoever waits for a turn is told that nothing goes. */
  close(): void;
  /** Resolves when everything is written that was put back until now. */
  flush(): Promise<void>;
}

/** Destinations that have room again within so short a time share the claim. */
const ROOM_DEBOUNCE_MS = 10;

/** Null where no transport finds the way by itself: whoever hands all to one server, or to none, has no destinations to spare. */
export function createLaneEntrance(options: LaneEntranceOptions): LaneEntrance | null {
  const { sql, clock, transports, held, onError } = options;
  const shaped = [...transports.values()].find(({ groupOf }) => groupOf !== undefined);
  if (shaped === undefined) return null;
  const lanes = createDestinationLanes({
    clock,
    groupOf: async (domain) => (await shaped.groupOf?.(domain)) ?? domain,
    maxHeld: options.maxInFlight,
    random: options.random,
    onRoom: tellRoomSoon,
  });
  const claims = createLaneClaims(sql, options.random, options.firstAccount);
  const putBackSoon = gather<Refused>((refused) => void putBack(refused));
  let writing: Promise<unknown> = Promise.resolve();
  let roomTimer: NodeJS.Timeout | null = null;
  let isClosed = false;

  function tellRoomSoon(): void {
    if (isClosed) return;
    roomTimer ??= setTimeout(() => {
      roomTimer = null;
      options.onRoom();
    }, ROOM_DEBOUNCE_MS);
  }

  async function claim(asked: Omit<ClaimOptions, 'afterAccount'>): Promise<boolean> {
    const rooms = lanes.rooms();
    const claim = await claims.claim(rooms, asked);
    const placed = place(held.hold(claim.claims, asked.leaseId));
    // Before anything begins: whoever is back at once tells of the room there is, if more is known to wait.
    const hasRoom = lanes.noteClaimed(
      rooms,
      claim.claims.map(({ destination }) => destination),
    );
    await beginPlaced(placed);
    return hasRoom || !claim.isOver;
  }

  function place(deliveries: readonly HeldDelivery[]): Placed {
    const ready: HeldDelivery[] = [];
    const refused: Refused[] = [];
    for (const delivery of deliveries) {
      const nextAt = enter(delivery);
      if (nextAt !== null) refused.push({ delivery, nextAt });
      else if (delivery.ticket === null || delivery.ticket.settled === null) ready.push(delivery);
    }
    return { ready, refused };
  }

  async function beginPlaced({ ready, refused }: Placed): Promise<void> {
    await putBack(refused);
    await options.begin(ready);
  }

  /** Answers until when it is to be put back; null where it has its place, or needs none. */
  function enter(delivery: HeldDelivery): Date | null {
    const { route, destination, expiresAt } = delivery.claim;
    if (destination === '') return null;
    if (transports.get(route)?.groupOf === undefined) {
      lanes.pass(destination);
      return null;
    }
    const ticket = lanes.hold(destination, expiresAt <= clock.now());
    if ('putBackUntil' in ticket) return ticket.putBackUntil;
    held.giveTicket(delivery, ticket);
    void ticket.settled?.then((refusal) => enterLate(delivery, refusal?.putBackUntil ?? null));
    return null;
  }

  function enterLate(delivery: HeldDelivery, nextAt: Date | null): void {
    if (delivery.isSettled) return;
    if (nextAt !== null) putBackSoon({ delivery, nextAt });
    else void options.begin([delivery]).catch((error: unknown) => onError(error, 'beginning deliveries'));
  }

  async function putBack(given: readonly Refused[]): Promise<void> {
    // A stop may have given back some of them meanwhile.
    const refused = given.filter(({ delivery }) => !delivery.isSettled);
    if (refused.length === 0) return;
    const leases = refused.map(({ delivery: { claim, leaseId }, nextAt }) => {
      const until = nextAt < claim.expiresAt ? nextAt : claim.expiresAt;
      return { accountId: claim.accountId, id: claim.id, leaseId, nextAt: until };
    });
    for (const { delivery } of refused) held.letGo(delivery);
    // Where this fails the leases run out by themselves.
    const written = putBackDeliveries(sql, leases).catch((error: unknown) => onError(error, 'putting deliveries back'));
    writing = Promise.all([writing, written]);
    await written;
  }

  return {
    claim,
    admit: (deliveries) => beginPlaced(place(deliveries)),
    startOver: claims.begin,
    putBack: (delivery, nextAt) => putBackSoon({ delivery, nextAt }),
    close() {
      isClosed = true;
      if (roomTimer !== null) clearTimeout(roomTimer);
      lanes.close();
    },
    async flush() {
      await writing;
    },
  };
}

interface Placed {
  readonly ready: readonly HeldDelivery[];
  readonly refused: readonly Refused[];
}

interface Refused {
  readonly delivery: HeldDelivery;
  readonly nextAt: Date;
}
