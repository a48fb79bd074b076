import { randomUUID } from 'node:crypto';
import type { Sql } from '../db/client.ts';
import { type ClaimedDelivery, claimDeliveries, renewLeases, startSending } from '../db/queries/claim-deliveries.ts';
import { releaseDeliveries } from '../db/queries/record-outcomes.ts';
import { within } from '../within.ts';
import { type AttemptOptions, attemptDelivery } from './attempt-delivery.ts';
import { createHeldDeliveries, type HeldDelivery } from './held-deliveries.ts';
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
/** For the outcomes at a stop, also where the hand-offs took all the time that was given. */
const LEAST_RECORDING_MS = 1_000;

export interface DeliveryEngineOptions extends AttemptOptions {
  readonly sql: Sql;
  readonly recorder: OutcomeRecorder;
  /** Stands on every lease of this process, so that its successor can tell which ones a crash left; made up where not given. */
  readonly leaseId?: string;
  /** Deliveries held at once, those included whose outcome is being recorded. */
  readonly maxInFlight: number;
}

/** Claims due deliveries and sees each through: compose, sign, hand over, decide, record. */
export interface DeliveryEngine {
  /** Works until nothing more is due. Calls while it works only make it look once more. */
  pump(): Promise<void>;
  /**
   * Claims nothing more, waits up to `graceMs` for hand-offs under way and their outcomes, then gives back what has none. Never rejects,
   * and takes little longer where the database is away: what it does not take stays in the journal, and leases run out by themselves.
   */
  stop(graceMs: number): Promise<void>;
  readonly inFlight: number;
}

export function createDeliveryEngine(options: DeliveryEngineOptions): DeliveryEngine {
  const { sql, clock, recorder, onError } = options;
  const held = createHeldDeliveries();
  const leaseId = options.leaseId ?? randomUUID();
  let afterAccount = FIRST_ACCOUNT;
  let working: Promise<void> | null = null;
  let again = false;
  let stopping = false;
  let stopped: Promise<void> | null = null;

  const renewal = setInterval(() => void renewHeldLeases(), RENEW_EVERY_MS);
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
    return stopping || (held.open < CLAIM_ROWS / 2 && held.size < options.maxInFlight);
  }

  /** One claim; false where nothing was due any more, or nothing may be claimed now. */
  async function claimOnce(): Promise<boolean> {
    // A delivery whose outcome cannot be recorded may look abandoned: claiming it now would send it again.
    if (recorder.isStuck) return false;
    if (!mayClaim()) return true;
    const limit = Math.min(CLAIM_ROWS, options.maxInFlight - held.size);
    const now = clock.now();
    const from = afterAccount;
    const claims = await claimDeliveries(sql, {
      leaseId,
      now,
      leaseUntil: new Date(now.getTime() + LEASE_MS),
      limit,
      perAccount: ROWS_PER_ACCOUNT,
      afterAccount: from,
      maxAccounts: MAX_ACCOUNTS_A_CLAIM,
    });
    afterAccount = accountToGoOnAfter(claims, limit);
    await begin(held.hold(claims, leaseId));
    return claims.length > 0 || from !== FIRST_ACCOUNT;
  }

  async function begin(deliveries: readonly HeldDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    // Claimed while the stop was asked for: not begun, so given back.
    if (stopping) return await giveBack(deliveries);
    const claims = deliveries.map(({ claim }) => claim);
    const contents = await startSending(sql, claims).catch(async (error: unknown) => {
      await giveBack(deliveries);
      throw error;
    });
    const byMessage = new Map(contents.map((content) => [content.messageId, content]));
    for (const delivery of deliveries) {
      delivery.content = byMessage.get(delivery.claim.messageId) ?? null;
      // Without its message a delivery was dropped when it was to be started.
      if (delivery.content === null) held.letGo(delivery);
      else void deliver(delivery);
    }
  }

  async function deliver(delivery: HeldDelivery): Promise<void> {
    const outcome = await attemptDelivery(options, delivery);
    held.settle(delivery);
    await recorder.record(outcome);
    held.letGo(delivery);
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

  async function stopNow(graceMs: number): Promise<void> {
    const endsAtMs = performance.now() + graceMs;
    stopping = true;
    clearInterval(renewal);
    held.wake();
    await within(graceMs, Promise.all([working?.catch(() => {}), held.until(() => held.open === 0)]));
    // First what is given back, then the end of recording: an outcome that comes between the two is void, and not merely lost.
    await within(LEAST_RECORDING_MS, giveBack(held.listOpen()));
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

/**
 * Where the next claim begins. An account gives more than its share only where few wait, and then the scan saw all of them: so it
 * begins anew, which spares every second claim a look behind the last account.
 */
function accountToGoOnAfter(claims: readonly ClaimedDelivery[], limit: number): string {
  const accounts = new Set(claims.map(({ accountId }) => accountId));
  if (accounts.size * ROWS_PER_ACCOUNT < limit) return FIRST_ACCOUNT;
  return claims.reduce((last, { accountId }) => (accountId > last ? accountId : last), FIRST_ACCOUNT);
}
