import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryContent,
  renewLeases,
  startSending,
} from '../db/queries/claim-deliveries.ts';
import { releaseDeliveries } from '../db/queries/record-outcomes.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { type AttemptFacts, decideOutcome, failOutcome } from './decide-outcome.ts';
import { createHeldDeliveries, type HeldDelivery } from './held-deliveries.ts';
import type { MessageBuilder } from './message-builder.ts';
import type { OutcomeRecorder } from './outcome-recorder.ts';
import type { HandoverVerdict, Transport } from './transport.ts';

const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
const CLAIM_ROWS = 200;
const ROWS_PER_ACCOUNT = 10;
const MAX_ACCOUNTS_A_CLAIM = 200;
const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000';
/** Time to write outcomes at a stop, also where the hand-offs took all that was given. */
const LEAST_RECORDING_MS = 1_000;

export interface DeliveryEngineOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly builder: MessageBuilder;
  readonly recorder: OutcomeRecorder;
  /** Where a route leads; an unknown route is a fault of ours and fails the message with its reason. */
  readonly transports: ReadonlyMap<string, Transport>;
  /** In [0, 1). */
  readonly random: () => number;
  /** Deliveries held at once: composed, signed and waiting for a connection. */
  readonly maxInFlight: number;
  readonly onError: (error: unknown, what: string) => void;
}

/** Claims due deliveries and sees each through: compose, sign, hand over, decide, record. */
export interface DeliveryEngine {
  /** Works until nothing more is due. Calls while it works only make it look once more. */
  pump(): Promise<void>;
  /**
   * Claims nothing more, waits up to `graceMs` for hand-offs under way and for their outcomes to be recorded, then gives back the rest.
   * Never rejects; ends about in time also while the database is away.
   */
  stop(graceMs: number): Promise<void>;
  readonly inFlight: number;
}

export function createDeliveryEngine(options: DeliveryEngineOptions): DeliveryEngine {
  const { sql, clock, recorder } = options;
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
    await renewLeases(sql, held.leases(), until).catch((error: unknown) => options.onError(error, 'renewing leases'));
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
        while (!stopping && (await claimOnce())) await held.belowOrEnded(options.maxInFlight / 2);
      }
    } finally {
      // In the same turn as the last look at `again`, so that no call can fall in between.
      working = null;
    }
  }

  /** One claim; false where nothing was due any more, or nothing can be claimed now. */
  async function claimOnce(): Promise<boolean> {
    // While outcomes cannot be recorded, their deliveries may look abandoned: claiming them now would send them again.
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
    afterAccount = nextAccount(claims, limit);
    await begin(claims, leaseId);
    return claims.length > 0 || from !== FIRST_ACCOUNT;
  }

  async function begin(claims: readonly ClaimedDelivery[], leaseId: string): Promise<void> {
    const fresh = held.hold(claims, leaseId);
    if (fresh.length === 0) return;
    try {
      if (stopping) throw new Error('The engine stops.');
      const contents = await startSending(sql, fresh);
      const byMessage = new Map(contents.map((content) => [content.messageId, content]));
      for (const { id, messageId } of fresh) void deliver(id, byMessage.get(messageId));
    } catch (error) {
      await giveBack(fresh.flatMap(({ id }) => held.letGo(id) ?? []));
      if (!stopping) throw error;
    }
  }

  async function deliver(id: string, content: DeliveryContent | undefined): Promise<void> {
    const delivery = held.get(id);
    // Without its message a delivery was dropped by startSending.
    if (delivery === null || content === undefined) return void held.letGo(id);
    try {
      const outcome = await attempt(delivery, content);
      delivery.isDecided = true;
      await recorder.record(outcome);
    } catch (error) {
      // Without a recorded outcome the lease runs out and the delivery is tried again: nothing is lost.
      options.onError(error, `delivering ${delivery.claim.messageId}`);
    } finally {
      held.letGo(id);
    }
  }
