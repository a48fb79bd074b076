import { randomUUID } from 'node:crypto';
import type { Sql } from '../db/client.ts';
import { type ClaimedDelivery, claimDeliveries, renewLeases, startSending } from '../db/queries/claim-deliveries.ts';
import { releaseDeliveries } from '../db/queries/record-outcomes.ts';
import { type DestinationHealth, healthOf } from '../routing/destination-health.ts';
import type { Turn } from '../routing/destination-lanes.ts';
import { gather } from '../routing/gather.ts';
import { createHeldDeliveries, type HeldDelivery } from '../routing/held-deliveries.ts';
import { createLaneEntrance } from '../routing/lane-entrance.ts';
import { createSemaphore } from '../semaphore.ts';
import type { Transport } from '../smtp-client/transport.ts';
import { within } from '../within.ts';
import { type AttemptOptions, attemptDelivery, type PutOff } from './attempt-delivery.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import type { OutcomeRecorder } from './outcome-recorder.ts';

const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
/**
 * A claim brings so many at most, and the next is made when fewer than half of them are open: enough to keep the signing threads and twenty
 * connections busy meanwhile. With twice as many nothing went faster, and their bodies only waited in memory.
 */
const CLAIM_ROWS = 100;
const ROWS_PER_ACCOUNT = 10;
const MAX_ACCOUNTS_A_CLAIM = 200;
const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000';
/** For the outcomes at a stop, also where the delivery attempts took all the time that was given. */
const LEAST_RECORDING_MS = 1_000;

/** A message beyond this is large: it takes room from before it is loaded until it is sent. So many smaller ones fit at any time. */
const LARGE_OCTETS = 64 * 1024;
/** Octets of large messages under way where no lane counts them. */
const OCTETS_OUTSIDE_LANES = 32 * 1024 * 1024;
/** What could not be loaded waits so long, lest it go round and round. */
const LOAD_AGAIN_MS = 5_000;

export interface DeliveryEngineOptions extends AttemptOptions {
  readonly sql: Sql;
  readonly recorder: OutcomeRecorder;
  /** Stands on every lease of this process, so that its successor can tell which ones a crash left; made up where not given. */
  readonly leaseId?: string;
  /** Deliveries held at once, those included whose outcome is being recorded. */
  readonly maxInFlight: number;
  /** How often the leases of what is held are renewed; three times in the life of a lease where not given. */
  readonly renewEveryMs?: number;
}

/** Claims due deliveries and sees each through: compose, sign, hand over, decide, record. */
export interface DeliveryEngine {
  /** Works until nothing more is due. Calls while it works only make it look once more. */
  pump(): Promise<void>;
  /**
   * Claims nothing more, waits up to `graceMs` for delivery attempts under way and their outcomes, then cuts the others off and gives them back.
   * Never rejects, and takes little longer where the database is away: what it does not take stays in the journal, and leases run out by
   * themselves.
   */
  stop(graceMs: number): Promise<void>;
  readonly inFlight: number;
}

export function createDeliveryEngine(options: DeliveryEngineOptions): DeliveryEngine {
  const { sql, clock, recorder, onError } = options;
  const held = createHeldDeliveries();
  const leaseId = options.leaseId ?? randomUUID();
  const outside = createSemaphore(OCTETS_OUTSIDE_LANES);
  const startSoon = gather<Going>((going) => {
    void start(going).catch((error: unknown) => onError(error, 'beginning deliveries'));
  });
  const lanes = createLaneEntrance({
    ...{ ...options, held, begin, firstAccount: FIRST_ACCOUNT },
    onRoom: () => void pump().catch((error: unknown) => onError(error, 'claiming deliveries')),
  });
  let afterAccount = FIRST_ACCOUNT;
  let working: Promise<void> | null = null;
  let again = false;
  let stopping = false;
  let isCut = false;
  let stopped: Promise<void> | null = null;
  const healths = new Map<HeldDelivery, { readonly health: DestinationHealth; readonly reason: string | null }>();
  /** Put off after the cut, which would be a bounce where the time for trying was over as well. */
  const cutShort = new Set<HeldDelivery>();
  const attempting: AttemptOptions = {
    ...options,
    transports: closable(options.transports, () => isCut),
    onVerdicts: (delivery, verdicts) => {
      if (isCut && verdicts.every(({ outcome }) => outcome === 'deferred')) cutShort.add(delivery);
      if (delivery.ticket === null) return;
      const health = healthOf(verdicts);
      const told = verdicts.find(({ reply }) => health === 'turned-away' || reply === null);
      healths.set(delivery, { health, reason: told?.reason ?? null });
    },
  };

  const renewal = setInterval(() => void renewHeldLeases(), options.renewEveryMs ?? RENEW_EVERY_MS);
  renewal.unref();

  async function renewHeldLeases(): Promise<void> {
    if (held.size === 0) return;
    const until = new Date(clock.now().getTime() + LEASE_MS);
    await renewLeases(sql, held.leases(), until).catch((error: unknown) => onError(error, 'renewing leases'));
  }

  function pump(): Promise<void> {
    again = true;
    working ??= drain();
    return working;
  }

  async function drain(): Promise<void> {
    lanes?.startOver();
    try {
      while (again && !stopping) {
        again = false;
        while (!stopping && (await claimOnce())) await held.until(mayClaim);
      }
    } finally {
      // In the same turn as the last look at `again`, so that no call falls in between.
      working = null;
    }
  }

  function mayClaim(): boolean {
    return stopping || (held.openOutside < CLAIM_ROWS / 2 && held.size < options.maxInFlight);
  }

  /** One claim; false where nothing was due any more, or nothing may be claimed now. */
  async function claimOnce(): Promise<boolean> {
    // A delivery whose outcome cannot be recorded may look abandoned: claiming it now would send it again.
    if (recorder.isStuck) return false;
    if (!mayClaim()) return true;
    const limit = Math.min(CLAIM_ROWS, options.maxInFlight - held.size);
    const now = clock.now();
    const from = afterAccount;
    const asked = {
      leaseId,
      now,
      leaseUntil: new Date(now.getTime() + LEASE_MS),
      limit,
      perAccount: ROWS_PER_ACCOUNT,
      afterAccount: from,
      maxAccounts: MAX_ACCOUNTS_A_CLAIM,
    };
    if (lanes !== null) return await lanes.claim(asked);
    const claims = await claimDeliveries(sql, asked);
    afterAccount = accountToGoOnAfter(claims, limit);
    await begin(held.hold(claims, leaseId));
    return claims.length > 0 || from !== FIRST_ACCOUNT;
  }

  /** Resolves when those are loaded that need not wait; each of the others begins when its turn has come. */
  async function begin(deliveries: readonly HeldDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    // Claimed while the stop was asked for: not begun, so given back.
    if (stopping) return await giveBack(deliveries);
    const mayGo = (delivery: HeldDelivery) => delivery.ticket === null && weightOf(delivery) === 0;
    for (const delivery of deliveries) if (!mayGo(delivery)) void beginInTurn(delivery);
    await start(deliveries.filter(mayGo).map((delivery) => ({ delivery, putOff: null, leave: () => undefined })));
  }

  /** What has no turn is not loaded: bodies that wait would only fill the memory. */
  async function beginInTurn(delivery: HeldDelivery): Promise<void> {
    const turn = await takeTurn(delivery);
    const isOver = !turn.go && delivery.claim.expiresAt <= clock.now();
    if (delivery.isSettled || stopping || !(turn.go || isOver)) {
      if (turn.go) turn.leave('unknown', null);
      if (!delivery.isSettled) putBack(delivery, turn.go || stopping ? clock.now() : turn.notBefore);
    } else {
      startSoon({
        delivery,
        putOff: turn.go ? null : turn,
        leave: (health, reason) => (turn.go ? turn.leave(health, reason) : undefined),
      });
    }
  }

  async function takeTurn(delivery: HeldDelivery): Promise<Turn> {
    if (delivery.ticket !== null) return await delivery.ticket.enter(weightOf(delivery));
    return { go: true, leave: await outside.acquire(weightOf(delivery)) };
  }

  function putBack(delivery: HeldDelivery, nextAt: Date): void {
    if (lanes !== null) lanes.putBack(delivery, nextAt);
    else void giveBack([delivery]);
  }

  async function start(given: readonly Going[]): Promise<void> {
    // A stop may have given back some of them meanwhile.
    const going = given.filter(({ delivery }) => !delivery.isSettled);
    for (const { delivery, leave } of given) if (delivery.isSettled) leave('unknown', null);
    if (going.length === 0) return;
    const claims = going.map(({ delivery }) => delivery.claim);
    const contents = await startSending(sql, claims, clock.now()).catch(async (error: unknown) => {
      for (const { leave } of going) leave('unknown', null);
      await giveBackLater(going.map(({ delivery }) => delivery));
      throw error;
    });
    const byMessage = new Map(contents.map((content) => [content.messageId, content]));
    for (const { delivery, putOff, leave } of going) {
      delivery.content = byMessage.get(delivery.claim.messageId) ?? null;
      if (delivery.content !== null && !delivery.isSettled) {
        void deliver(delivery, putOff, leave);
      } else {
        // Without its message a delivery was dropped when it was to be started; and a stop may have given it back since.
        leave('unknown', null);
        held.letGo(delivery);
      }
    }
  }

  /** Without lanes a claim ends that could not begin, and so does the round of claims. */
  async function giveBackLater(deliveries: readonly HeldDelivery[]): Promise<void> {
    if (lanes === null) return await giveBack(deliveries);
    const nextAt = new Date(clock.now().getTime() + LOAD_AGAIN_MS);
    for (const delivery of deliveries) lanes.putBack(delivery, nextAt);
  }

  async function deliver(delivery: HeldDelivery, putOff: PutOff | null, leave: Leave): Promise<void> {
    let outcome = await attemptInTurn(delivery, putOff, leave);
    // It is given back instead, as if it had never been begun.
    if (isCut && (isPutOff(outcome) || cutShort.delete(delivery))) return;
    held.settle(delivery);
    // Claimed again while it waited to be recorded, which made it void: what is known is known under the new lease as well.
    while (!(await recorder.record(outcome)) && isClaimedAgain(delivery, outcome)) {
      outcome = { ...outcome, leaseId: delivery.leaseId, attempt: delivery.claim.attempt };
    }
    held.letGo(delivery);
    if (isClaimedAgain(delivery, outcome)) await goOn(delivery);
  }

  /** Tells the lane what came of it. */
  async function attemptInTurn(delivery: HeldDelivery, putOff: PutOff | null, leave: Leave): Promise<AttemptOutcome> {
    try {
      return await attemptDelivery(attempting, delivery, putOff);
    } finally {
      const { health, reason } = healths.get(delivery) ?? { health: 'unknown', reason: null };
      healths.delete(delivery);
      leave(health, reason);
    }
  }

  /** Its next attempt, claimed just after the end of this one was recorded and before that was known here. */
  async function goOn({ claim, leaseId: lease }: HeldDelivery): Promise<void> {
    const next = held.hold([claim], lease);
    await (lanes === null ? begin(next) : lanes.admit(next)).catch((error: unknown) =>
      onError(error, 'beginning the next attempt'),
    );
  }

  async function giveBack(deliveries: readonly HeldDelivery[]): Promise<void> {
    for (const delivery of deliveries) held.letGo(delivery);
    if (deliveries.length === 0) return;
    const fences = deliveries.map(({ claim, leaseId }) => ({
      accountId: claim.accountId,
      deliveryId: claim.id,
      messageId: claim.messageId,
      leaseId,
      attempt: claim.attempt,
    }));
    // Where this fails the leases run out by themselves.
    await releaseDeliveries(sql, fences, clock.now()).catch((error: unknown) => onError(error, 'giving leases back'));
  }

  /** Before it is given back: somebody else may take it at once, and then it would be under way twice. */
  async function cutOff(): Promise<void> {
    isCut = true;
    for (const transport of options.transports.values()) transport.abort();
    // Replies that had come by now are outcomes still.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async function stopNow(graceMs: number): Promise<void> {
    const endsAtMs = performance.now() + graceMs;
    stopping = true;
    clearInterval(renewal);
    lanes?.close();
    held.wake();
    await within(graceMs, Promise.all([working?.catch(() => {}), held.until(() => held.open === 0)]));
    await cutOff();
    // First what is given back, then the end of recording: an outcome that comes between the two is void, and not merely lost.
    await within(LEAST_RECORDING_MS, Promise.all([giveBack(held.listOpen()), lanes?.flush()]));
    await recorder.close(Math.max(LEAST_RECORDING_MS, endsAtMs - performance.now()));
  }

  return {
    pump,
    stop(graceMs) {
      stopped ??= stopNow(graceMs);
      return stopped;
    },
    get inFlight() {
      return held.size;
    },
  };
}

/** Transports that take nothing more once they are cut off: a message may still have been in the making then. */
function closable(transports: ReadonlyMap<string, Transport>, isCut: () => boolean): ReadonlyMap<string, Transport> {
  const close = (transport: Transport): Transport => ({
    ...transport,
    send: async (outgoing) => {
      if (!isCut()) return await transport.send(outgoing);
      const reason = 'This process was being stopped.';
      return outgoing.recipients.map((recipient) => {
        return { recipient, outcome: 'deferred' as const, reply: null, reason, ambiguous: false };
      });
    },
  });
  return new Map([...transports].map(([route, transport]) => [route, close(transport)]));
}

type Leave = Extract<Turn, { readonly go: true }>['leave'];

/** A delivery whose turn has come, or for which nothing is to be tried any more. */
interface Going {
  readonly delivery: HeldDelivery;
  readonly putOff: PutOff | null;
  readonly leave: Leave;
}

/** Octets that take room on the way; 0 for the many that are small. */
function weightOf({ claim: { bytes } }: HeldDelivery): number {
  return bytes > LARGE_OCTETS ? bytes : 0;
}

function isClaimedAgain({ claim, leaseId }: HeldDelivery, outcome: AttemptOutcome): boolean {
  return claim.attempt !== outcome.attempt || leaseId !== outcome.leaseId;
}

/** Nobody was accepted or refused, so that nothing is lost where the attempt is forgotten. */
function isPutOff({ recipients }: AttemptOutcome): boolean {
  return recipients.every(({ change }) => change === 'deferred' || change === 'queued' || change === 'suppressed');
}

/**
 * Where the next claim begins. An account gives more than its share only where few wait, and then the scan saw all of them: so it
 * begins anew, which spares every second claim a look behind the last account.
 */
export function accountToGoOnAfter(claims: readonly ClaimedDelivery[], limit: number): string {
  const accounts = new Set(claims.map(({ accountId }) => accountId));
  if (accounts.size * ROWS_PER_ACCOUNT < limit) return FIRST_ACCOUNT;
  return claims.reduce((last, { accountId }) => (accountId > last ? accountId : last), FIRST_ACCOUNT);
}
