import { randomUUID } from 'node:crypto';
import type { Sql } from '../db/client.ts';
import { type ClaimedDelivery, claimDeliveries } from '../db/queries/claim-deliveries.ts';
import { loadContents } from '../db/queries/load-contents.ts';
import { releaseDeliveries } from '../db/queries/record-outcomes.ts';
import { batchPerTick } from '../routing/batch-per-tick.ts';
import { createDeliveryAdmission } from '../routing/delivery-admission.ts';
import { type DestinationHealth, healthOf } from '../routing/destination-health.ts';
import type { SendPermit } from '../routing/destination-queues.ts';
import { createLeasedDeliveries, type LeasedDelivery } from '../routing/leased-deliveries.ts';
import { createSemaphore } from '../semaphore.ts';
import { within } from '../within.ts';
import { type AttemptOptions, attemptDelivery, type Deferral } from './attempt-delivery.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { closable } from './closable-transports.ts';
import { createLeaseKeeper, LEASE_MS } from './lease-keeper.ts';
import type { OutcomeRecorder } from './outcome-recorder.ts';

/** The most deliveries per claim. Twice as many were not faster and only kept their bodies in memory. */
const CLAIM_ROWS = 100;
/**
 * The next claim is made when fewer deliveries than this are open. It takes several milliseconds until its messages are loaded, and
 * those that are open must keep the signing threads and twenty connections busy in the meantime.
 */
const CLAIM_BELOW = 75;
const ROWS_PER_ACCOUNT = 10;
const MAX_ACCOUNTS_A_CLAIM = 200;
const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000';
/** Time to record outcomes at a shutdown, even if the delivery attempts used all of the grace period. */
const LEAST_RECORDING_MS = 1_000;

/** A larger message uses the byte budget from before it is loaded until it is sent. Smaller ones always fit. */
const LARGE_BYTES = 64 * 1024;
/** Bytes of large messages in transit when no destination queue counts them. */
const UNQUEUED_BYTES = 32 * 1024 * 1024;
/** The delay of a delivery that could not be loaded, so that it is not claimed again and again. */
const LOAD_AGAIN_MS = 5_000;

export interface DeliveryEngineOptions extends AttemptOptions {
  readonly sql: Sql;
  /** For claims from one queue, and for contents: the pool that keeps plans. `sql` by default. */
  readonly claimSql?: Sql;
  /** Called before each claim. */
  readonly renewPlans?: () => Promise<void>;
  readonly recorder: OutcomeRecorder;
  /** The id on every lease of this process, so that its successor can find those that a crash left; random by default. */
  readonly leaseId?: string;
  /** The most deliveries leased at a time, those included whose outcome is being recorded. */
  readonly maxInFlight: number;
  /** How often to renew leases. By default three times in the life of a lease. */
  readonly renewEveryMs?: number;
}

/** Claims due deliveries and processes each one: compose, sign, send, decide, record. */
export interface DeliveryEngine {
  /** Works until nothing more is due. A call during that time only makes it check again. */
  pump(): Promise<void>;
  /**
   * Stops claiming, waits up to `graceMs` for running attempts and their outcomes, then cuts off the rest and gives them
   * back. Never rejects, and takes little longer if the database is unavailable: what is not recorded stays in the
   * journal, and leases expire.
   */
  stop(graceMs: number): Promise<void>;
  readonly inFlight: number;
  /** Whether a claim can start now. */
  readonly hasRoom: boolean;
}

export function createDeliveryEngine(options: DeliveryEngineOptions): DeliveryEngine {
  const { sql, clock, recorder, onError, claimSql = sql, renewPlans = async () => undefined } = options;
  const leased = createLeasedDeliveries();
  const leaseId = options.leaseId ?? randomUUID();
  const unqueuedBytes = createSemaphore(UNQUEUED_BYTES);
  const startSoon = batchPerTick<ReadyDelivery>((ready) => {
    void start(ready).catch((error: unknown) => onError(error, 'beginning deliveries'));
  });
  const admission = createDeliveryAdmission({
    ...{ ...options, leased, begin, firstAccount: FIRST_ACCOUNT },
    onRoom: () => void pump().catch((error: unknown) => onError(error, 'claiming deliveries')),
  });
  let afterAccount = FIRST_ACCOUNT;
  let working: Promise<void> | null = null;
  let again = false;
  let stopping = false;
  let isCut = false;
  let stopped: Promise<void> | null = null;
  const healths = new Map<LeasedDelivery, { readonly health: DestinationHealth; readonly reason: string | null }>();
  /** Put off after the cut-off. This would be a bounce if the retry time were over as well. */
  const cutShort = new Set<LeasedDelivery>();
  const attempting: AttemptOptions = {
    ...options,
    transports: closable(options.transports, () => isCut),
    onVerdicts: (delivery, verdicts) => {
      if (isCut && verdicts.every(({ outcome }) => outcome === 'deferred')) cutShort.add(delivery);
      if (delivery.slot === null) return;
      const health = healthOf(verdicts);
      const decisive = verdicts.find(({ reply }) => health === 'turned-away' || reply === null);
      healths.set(delivery, { health, reason: decisive?.reason ?? null });
    },
  };

  const keeper = createLeaseKeeper({ sql, clock, leased, onError, renewEveryMs: options.renewEveryMs });

  function pump(): Promise<void> {
    again = true;
    working ??= drain();
    return working;
  }

  async function drain(): Promise<void> {
    admission?.startOver();
    try {
      while (again && !stopping) {
        again = false;
        while (!stopping && (await claimOnce())) await leased.until(mayClaim);
      }
    } finally {
      // In the same tick as the last check of `again`, so that no call is lost in between.
      working = null;
    }
  }

  function mayClaim(): boolean {
    return stopping || (leased.openUnqueued < CLAIM_BELOW && leased.size < options.maxInFlight);
  }

  /** Makes one claim. Returns false if nothing is due any more, or nothing may be claimed now. */
  async function claimOnce(): Promise<boolean> {
    // A delivery whose outcome cannot be recorded may look abandoned: claiming it now would send it again.
    if (recorder.isStuck) return false;
    if (!mayClaim()) return true;
    await renewPlans();
    const limit = Math.min(CLAIM_ROWS, options.maxInFlight - leased.size);
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
    if (admission !== null) return await admission.claim(asked);
    const claims = await claimDeliveries(claimSql, asked);
    afterAccount = nextClaimStart(claims, limit);
    await begin(leased.add(claims, leaseId));
    return claims.length > 0 || from !== FIRST_ACCOUNT;
  }

  /** Resolves when the deliveries that need no permit are loaded; each of the others starts when it gets its permit. */
  async function begin(deliveries: readonly LeasedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    // Claimed while the shutdown started: not started, so given back.
    if (stopping) return await release(deliveries);
    const isAllowed = (delivery: LeasedDelivery) => delivery.slot === null && weightOf(delivery) === 0;
    for (const delivery of deliveries) if (!isAllowed(delivery)) void beginWithPermit(delivery);
    await start(
      deliveries.filter(isAllowed).map((delivery) => ({ delivery, deferral: null, release: () => undefined })),
    );
  }

  /** Loads nothing before the permit: waiting bodies would only use memory. */
  async function beginWithPermit(delivery: LeasedDelivery): Promise<void> {
    const permit = await acquirePermit(delivery);
    const isOver = !permit.go && delivery.claim.expiresAt <= clock.now();
    if (delivery.isSettled || stopping || !(permit.go || isOver)) {
      if (permit.go) permit.release('unknown', null);
      if (!delivery.isSettled) requeue(delivery, permit.go || stopping ? clock.now() : permit.notBefore);
    } else {
      startSoon({
        delivery,
        deferral: permit.go ? null : permit,
        release: (health, reason) => (permit.go ? permit.release(health, reason) : undefined),
      });
    }
  }

  async function acquirePermit(delivery: LeasedDelivery): Promise<SendPermit> {
    if (delivery.slot !== null) return await delivery.slot.acquire(weightOf(delivery));
    return { go: true, release: await unqueuedBytes.acquire(weightOf(delivery)) };
  }

  function requeue(delivery: LeasedDelivery, nextAt: Date): void {
    if (admission !== null) admission.requeue(delivery, nextAt);
    else void release([delivery]);
  }

  async function start(given: readonly ReadyDelivery[]): Promise<void> {
    // A shutdown may have given back some of them in the meantime.
    const ready = given.filter(({ delivery }) => !delivery.isSettled);
    for (const { delivery, release } of given) if (delivery.isSettled) release('unknown', null);
    if (ready.length === 0) return;
    const claims = ready.map(({ delivery }) => delivery.claim);
    const contents = await loadContents(claimSql, claims, clock.now()).catch(async (error: unknown) => {
      for (const { release } of ready) release('unknown', null);
      await releaseLater(ready.map(({ delivery }) => delivery));
      throw error;
    });
    const byMessage = new Map(contents.map((content) => [content.messageId, content]));
    for (const { delivery, deferral, release } of ready) {
      delivery.content = byMessage.get(delivery.claim.messageId) ?? null;
      if (delivery.content !== null && !delivery.isSettled) {
        delivery.startedAtMs = performance.now();
        void deliver(delivery, deferral, release);
      } else {
        // The delivery was dropped when it was started without its message, or a shutdown has given it back since.
        release('unknown', null);
        leased.remove(delivery);
      }
    }
  }

  /** Without destination queues, a claim that could not start ends, and so does the round of claims. */
  async function releaseLater(deliveries: readonly LeasedDelivery[]): Promise<void> {
    if (admission === null) return await release(deliveries);
    const nextAt = new Date(clock.now().getTime() + LOAD_AGAIN_MS);
    for (const delivery of deliveries) admission.requeue(delivery, nextAt);
  }

  async function deliver(delivery: LeasedDelivery, deferral: Deferral | null, release: Release): Promise<void> {
    let outcome = await attemptAndRelease(delivery, deferral, release);
    // The delivery is given back as if it had never been started.
    if (isCut && (isAllDeferred(outcome) || cutShort.delete(delivery))) return;
    leased.settle(delivery);
    // The delivery was claimed again while its outcome waited to be recorded, which invalidated the outcome. It is valid
    // under the new lease too.
    while (!(await recorder.record(outcome)) && isClaimedAgain(delivery, outcome)) {
      outcome = { ...outcome, leaseId: delivery.leaseId, attempt: delivery.claim.attempt };
    }
    leased.remove(delivery);
    if (isClaimedAgain(delivery, outcome)) await continueAttempt(delivery);
  }

  /** Releases the permit with the health that the attempt showed. */
  async function attemptAndRelease(
    delivery: LeasedDelivery,
    deferral: Deferral | null,
    release: Release,
  ): Promise<AttemptOutcome> {
    try {
      return await attemptDelivery(attempting, delivery, deferral);
    } finally {
      const { health, reason } = healths.get(delivery) ?? { health: 'unknown', reason: null };
      healths.delete(delivery);
      release(health, reason);
    }
  }

  /** Its next attempt, claimed just after the end of this one was recorded and before this process noticed. */
  async function continueAttempt({ claim, leaseId: lease }: LeasedDelivery): Promise<void> {
    const next = leased.add([claim], lease);
    await (admission === null ? begin(next) : admission.admit(next)).catch((error: unknown) =>
      onError(error, 'beginning the next attempt'),
    );
  }

  async function release(deliveries: readonly LeasedDelivery[]): Promise<void> {
    for (const delivery of deliveries) leased.remove(delivery);
    if (deliveries.length === 0) return;
    const fences = deliveries.map(({ claim, leaseId }) => ({
      accountId: claim.accountId,
      deliveryId: claim.id,
      messageId: claim.messageId,
      leaseId,
      attempt: claim.attempt,
    }));
    // If this fails, the leases expire anyway.
    await releaseDeliveries(sql, fences, clock.now()).catch((error: unknown) => onError(error, 'releasing leases'));
  }

  /** Runs before the leases are released: another process may claim at once, and then a delivery would be under way twice. */
  async function cutOff(): Promise<void> {
    isCut = true;
    for (const transport of options.transports.values()) transport.abort();
    // Replies received by now still count as outcomes.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async function stopNow(graceMs: number): Promise<void> {
    const endsAtMs = performance.now() + graceMs;
    stopping = true;
    const kept = keeper.stop();
    admission?.close();
    leased.wake();
    await within(graceMs, Promise.all([working?.catch(() => {}), leased.until(() => leased.open === 0)]));
    await Promise.all([cutOff(), within(LEAST_RECORDING_MS, kept)]);
    // Give back first, then stop recording: an outcome that arrives between the two is invalid instead of lost.
    await within(LEAST_RECORDING_MS, Promise.all([release(leased.listOpen()), admission?.flush()]));
    await recorder.close(Math.max(LEAST_RECORDING_MS, endsAtMs - performance.now()));
  }

  return {
    pump,
    stop(graceMs) {
      stopped ??= stopNow(graceMs);
      return stopped;
    },
    get inFlight() {
      return leased.size;
    },
    get hasRoom() {
      return !stopping && !recorder.isStuck && mayClaim();
    },
  };
}

type Release = Extract<SendPermit, { readonly go: true }>['release'];

/** A delivery that has its permit, or that is over without another attempt. */
interface ReadyDelivery {
  readonly delivery: LeasedDelivery;
  readonly deferral: Deferral | null;
  readonly release: Release;
}

/** Bytes that count against the budget; 0 for the many small messages. */
function weightOf({ claim: { bytes } }: LeasedDelivery): number {
  return bytes > LARGE_BYTES ? bytes : 0;
}

function isClaimedAgain({ claim, leaseId }: LeasedDelivery, outcome: AttemptOutcome): boolean {
  return claim.attempt !== outcome.attempt || leaseId !== outcome.leaseId;
}

/** No recipient was accepted or refused, so nothing is lost if the attempt is forgotten. */
function isAllDeferred({ recipients }: AttemptOutcome): boolean {
  return recipients.every(({ change }) => change === 'deferred' || change === 'queued' || change === 'suppressed');
}

/**
 * Where the next claim begins. An account returns more than its share only if few wait, and then the scan saw all of
 * them. In that case it starts over, which saves every second claim a look past the last account.
 */
export function nextClaimStart(claims: readonly ClaimedDelivery[], limit: number): string {
  const accounts = new Set(claims.map(({ accountId }) => accountId));
  if (accounts.size * ROWS_PER_ACCOUNT < limit) return FIRST_ACCOUNT;
  return claims.reduce((last, { accountId }) => (accountId > last ? accountId : last), FIRST_ACCOUNT);
}
