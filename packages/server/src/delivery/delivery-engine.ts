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
import type { AttemptFacts } from './decide-outcome.ts';
import { decideOutcome, failOutcome } from './decide-outcome.ts';
import type { MessageBuilder } from './message-builder.ts';
import type { OutcomeRecorder } from './outcome-recorder.ts';
import type { Transport } from './transport.ts';

const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
const CLAIM_ROWS = 200;
const ROWS_PER_ACCOUNT = 10;
const MAX_ACCOUNTS_A_CLAIM = 200;
const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000';

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
  /** Claims nothing more, gives back what was not begun, waits for hand-offs under way up to `graceMs`. */
  stop(graceMs: number): Promise<void>;
  readonly inFlight: number;
}

interface Held {
  readonly claim: ClaimedDelivery;
  readonly leaseId: string;
}

export function createDeliveryEngine(options: DeliveryEngineOptions): DeliveryEngine {
  const { sql, clock, recorder } = options;
  const held = new Map<string, Held>();
  let afterAccount = FIRST_ACCOUNT;
  let working: Promise<void> | null = null;
  let again = false;
  let stopping = false;
  let wakeOnRoom: (() => void) | null = null;

  const renewal = setInterval(() => void renewHeldLeases(), RENEW_EVERY_MS);
  renewal.unref();

  async function renewHeldLeases(): Promise<void> {
    if (held.size === 0) return;
    const leases = [...held.values()].map(({ claim, leaseId }) => ({
      accountId: claim.accountId,
      id: claim.id,
      leaseId,
    }));
    const until = new Date(clock.now().getTime() + LEASE_MS);
    await renewLeases(sql, leases, until).catch((error: unknown) => options.onError(error, 'renewing leases'));
  }

  function pump(): Promise<void> {
    again = true;
    working ??= drain().finally(() => {
      working = null;
    });
    return working;
  }

  async function drain(): Promise<void> {
    while (again && !stopping) {
      again = false;
      while (!stopping && (await claimOnce())) await roomForMore();
    }
  }

  /** One claim; false where nothing was due any more. */
  async function claimOnce(): Promise<boolean> {
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
    afterAccount = claims.length === 0 ? FIRST_ACCOUNT : lastAccountOf(claims);
    if (claims.length > 0) await begin(claims, leaseId);
    return claims.length > 0 || from !== FIRST_ACCOUNT;
  }

  async function begin(claims: readonly ClaimedDelivery[], leaseId: string): Promise<void> {
    for (const claim of claims) held.set(claim.id, { claim, leaseId });
    const contents = await startSending(sql, claims).catch(async (error: unknown) => {
      for (const claim of claims) held.delete(claim.id);
      throw error; // The leases run out by themselves.
    });
    const byMessage = new Map(contents.map((content) => [content.messageId, content]));
    for (const claim of claims) void deliver(claim, leaseId, byMessage.get(claim.messageId));
  }

  async function deliver(claim: ClaimedDelivery, leaseId: string, content: DeliveryContent | undefined): Promise<void> {
    try {
      await recorder.record(await attempt(claim, leaseId, content));
    } catch (error) {
      // Without a recorded outcome the lease runs out and the delivery is tried again: nothing is lost.
      options.onError(error, `delivering ${claim.messageId}`);
    } finally {
      held.delete(claim.id);
      wakeOnRoom?.();
    }
  }

  async function attempt(
    claim: ClaimedDelivery,
    leaseId: string,
    content: DeliveryContent | undefined,
  ): Promise<AttemptOutcome> {
    const transport = options.transports.get(claim.route);
    const facts = (): AttemptFacts => factsOf(claim, leaseId, content, transport, clock.now(), options.random());
    if (content === undefined) return failOutcome(facts(), 'The message is gone from the log.');
    if (!content.hasBody) return failOutcome(facts(), 'The stored body has aged out before delivery.');
    if (transport === undefined) return failOutcome(facts(), `There is no transport for the route "${claim.route}".`);
    const built = await options.builder.build(content);
    if (!built.ok) return failOutcome(facts(), built.reason);
    const recipients = recipientsOf(claim, content).map(({ email }) => email);
    // The envelope is exactly the list that was checked at acceptance, or nothing is handed over.
    if (recipients.length !== claim.ordinals.length)
      return failOutcome(facts(), 'The stored recipients are incomplete.');
    const verdicts = await transport.send({
      accountId: claim.accountId,
      messageId: claim.messageId,
      deliveryId: claim.id,
      attempt: claim.attempt,
      mailFrom: built.mailFrom,
      recipients,
      data: built.data,
    });
    return decideOutcome(facts(), verdicts);
  }

  function roomForMore(): Promise<void> | void {
    if (held.size < options.maxInFlight / 2) return;
    return new Promise((resolve) => {
      wakeOnRoom = () => {
        if (held.size >= options.maxInFlight / 2 && !stopping) return;
        wakeOnRoom = null;
        resolve();
      };
    });
  }

  async function stop(graceMs: number): Promise<void> {
    stopping = true;
    clearInterval(renewal);
    wakeOnRoom?.();
    await working?.catch(() => {});
    await allHandedOver(graceMs);
    await recorder.flush();
    const left = [...held.values()].map(({ claim, leaseId }) => ({
      accountId: claim.accountId,
      deliveryId: claim.id,
      messageId: claim.messageId,
      leaseId,
      attempt: claim.attempt,
    }));
    if (left.length > 0) await releaseDeliveries(sql, left, clock.now());
  }

  function allHandedOver(graceMs: number): Promise<void> {
    if (held.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      wakeOnRoom = () => {
        if (held.size > 0) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    pump,
    stop,
    get inFlight() {
      return held.size;
    },
  };
}

function lastAccountOf(claims: readonly ClaimedDelivery[]): string {
  return claims.reduce((last, { accountId }) => (accountId > last ? accountId : last), FIRST_ACCOUNT);
}

function recipientsOf(claim: ClaimedDelivery, content: DeliveryContent) {
  const wanted = new Set(claim.ordinals);
  return content.recipients.filter(({ o }) => wanted.has(o)).map(({ o, e }) => ({ ordinal: o, email: e }));
}

function factsOf(
  claim: ClaimedDelivery,
  leaseId: string,
  content: DeliveryContent | undefined,
  transport: Transport | undefined,
  now: Date,
  random: number,
): AttemptFacts {
  return {
    accountId: claim.accountId,
    deliveryId: claim.id,
    messageId: claim.messageId,
    leaseId,
    attempt: claim.attempt,
    expiresAt: claim.expiresAt,
    recipients: content === undefined ? [] : recipientsOf(claim, content),
    recipientsInMessage: content?.recipients.length ?? 0,
    acceptedMeans: transport?.acceptedMeans ?? 'sent',
    now,
    random,
  };
}
