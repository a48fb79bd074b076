import { randomUUID } from 'node:crypto';
import type { Sql } from '../db/client.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryContent,
  renewLeases,
  startSending,
} from '../db/queries/claim-deliveries.ts';
import { releaseDeliveries } from '../db/queries/record-outcomes.ts';
import { type AttemptOptions, attemptDelivery } from './attempt-delivery.ts';
import { createHeldDeliveries, type HeldDelivery } from './held-deliveries.ts';
import type { OutcomeRecorder } from './outcome-recorder.ts';

const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
const CLAIM_ROWS = 200;
const ROWS_PER_ACCOUNT = 10;
const MAX_ACCOUNTS_A_CLAIM = 200;
const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000';
/** For the outcomes at a stop, also where the hand-offs took all the time that was given. */
const LEAST_RECORDING_MS = 1_000;

export interface DeliveryEngineOptions extends AttemptOptions {
  readonly sql: Sql;
  readonly recorder: OutcomeRecorder;
  /** Deliveries held at once: composed, signed and waiting for a connection. */
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
  let afterAccount = FIRST_ACCOUNT;
  let working: Promise<void> | null = null;
  let again = false;
  let stopping = false;

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
        while (!stopping && (await claimOnce())) await held.untilBelow(options.maxInFlight / 2);
      }
    } finally {
      // In the same turn as the last look at `again`, so that no call falls in between.
      working = null;
    }
  }

  /** One claim; false where nothing was due any more, or nothing may be claimed now. */
  async function claimOnce(): Promise<boolean> {
    // A delivery whose outcome cannot be recorded may look abandoned: claiming it now would send it again.
    if (recorder.isStuck) return false;
    const limit = Math.min(CLAIM_ROWS, options.maxInFlight - held.size);
    if (limit <= 0) return true;
    const leaseId = randomUUID();
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
    for (const delivery of deliveries) void deliver(delivery, byMessage.get(delivery.claim.messageId));
  }

  async function deliver(delivery: HeldDelivery, content: DeliveryContent | undefined): Promise<void> {
    // Without its message a delivery was dropped when it was to be started.
    if (content !== undefined) {
      delivery.content = content;
      const outcome = await attemptDelivery(options, delivery);
      delivery.isDecided = true;
      await recorder.record(outcome);
    }
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

  async function stop(graceMs: number): Promise<void> {
    const endsAtMs = performance.now() + graceMs;
    stopping = true;
    clearInterval(renewal);
    held.endClaims();
    await within(graceMs, Promise.all([working?.catch(() => {}), held.untilEmpty()]));
    await recorder.close(Math.max(LEAST_RECORDING_MS, endsAtMs - performance.now()));
    await within(LEAST_RECORDING_MS, giveBack(held.undecided()));
  }

  return {
    pump,
    stop,
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

/** Waits for something, but not longer than `limitMs`. */
async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  await Promise.race([work, isOver]);
  clearTimeout(timer);
}
