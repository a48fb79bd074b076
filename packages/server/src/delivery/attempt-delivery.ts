import type { Clock } from '../clock.ts';
import type { DeliveryContent } from '../db/queries/load-contents.ts';
import type { LeasedDelivery } from '../routing/leased-deliveries.ts';
import type { ServerTry } from '../smtp-client/exchange.ts';
import type { RecipientVerdict, Transport } from '../smtp-client/transport.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { toTries } from './attempt-tries.ts';
import { type AttemptFacts, addSuppressed, decideOutcome, failOutcome } from './decide-outcome.ts';
import type { BuiltMessage, MessageBuilder } from './message-builder.ts';
import { type NeverSent, unapproved } from './message-order.ts';

export interface AttemptOptions {
  readonly clock: Clock;
  readonly builder: MessageBuilder;
  /** Where a route leads. An unknown route is an internal error and fails the message with its reason. */
  readonly transports: ReadonlyMap<string, Transport>;
  /** In [0, 1). */
  readonly random: () => number;
  readonly onError: (error: unknown, what: string) => void;
  /**
   * Called before the outcome of a held message that is not what was approved, or was not approved.
   * @throws if it could not be recorded; the attempt is repeated then
   */
  readonly onUnapproved: (message: UnapprovedMessage) => Promise<void>;
  /** Called with the verdicts of a transport. */
  readonly onVerdicts?: (delivery: LeasedDelivery, verdicts: readonly RecipientVerdict[]) => void;
}

export interface UnapprovedMessage {
  readonly accountId: string;
  readonly messageId: string;
  readonly approvalId: string | null;
  readonly reason: string;
}

/** The destination is paused: no attempt before `notBefore`. */
export interface Deferral {
  readonly notBefore: Date;
  readonly reason: string;
}

/** Makes sure that suppressed recipients are not included in a send, and that every recipient has a known outcome. */
/** @param deferral when the destination is paused: no attempt is made, but the delivery may expire. */
export async function attemptDelivery(
  options: AttemptOptions,
  delivery: LeasedDelivery,
  deferral: Deferral | null = null,
): Promise<AttemptOutcome> {
  const own = recipientsOf(delivery);
  const allowed = own.filter(({ s }) => s === null).map(({ o, e }) => ({ ordinal: o, email: e }));
  const suppressed = own.flatMap(({ o, e, s }) => (s === null ? [] : [{ ordinal: o, email: e, reason: s }]));
  const isComplete = own.length === delivery.claim.ordinals.length;
  return addSuppressed(await attempt(options, delivery, allowed, isComplete, deferral), suppressed);
}

/** Builds the message, sends it and decides the outcome. Never rejects: an internal error is an attempt that is retried. */
async function attempt(
  options: AttemptOptions,
  delivery: LeasedDelivery,
  recipients: Recipients,
  isComplete: boolean,
  deferral: Deferral | null,
): Promise<AttemptOutcome> {
  const recipientsInMessage = delivery.content?.recipients.length ?? 0;
  const transport = options.transports.get(delivery.claim.route) ?? null;
  const approvalId = delivery.content?.hold?.id ?? null;
  const facts = () => factsOf(options, delivery, transport, recipients, recipientsInMessage);
  const tries: ServerTry[] = [];
  const startedMs = performance.now();
  const withTries = (outcome: AttemptOutcome, verdicts: readonly RecipientVerdict[] | string): AttemptOutcome => {
    const name = transport?.name ?? delivery.claim.route;
    return { ...outcome, transport: name, tries: toTries(outcome, verdicts, { recipients, tries, startedMs }) };
  };
  // No recipients are left.
  if (recipients.length === 0 && isComplete) return decideOutcome(facts(), []);
  if (deferral !== null) {
    delivery.content = null;
    const verdicts = recipients.map(({ email }) => ({ ...deferralVerdict(deferral), recipient: email }));
    return withTries(decideOutcome(facts(), verdicts), verdicts);
  }
  try {
    const built = assertApproved(await build(options.builder, delivery, transport, isComplete), recipients);
    if (!built.ok) {
      const { accountId, messageId } = delivery.claim;
      if (built.isUnapproved) await options.onUnapproved({ accountId, messageId, approvalId, reason: built.reason });
      return withTries(failOutcome(facts(), built.reason), built.reason);
    }
    const verdicts = await built.transport.send({
      accountId: delivery.claim.accountId,
      messageId: delivery.claim.messageId,
      deliveryId: delivery.claim.id,
      attempt: delivery.claim.attempt,
      mailFrom: built.mailFrom,
      recipients: recipients.map(({ email }) => email),
      data: built.data,
      note: (tried) => tries.push(tried),
    });
    options.onVerdicts?.(delivery, verdicts);
    return withTries(decideOutcome(facts(), verdicts), verdicts);
  } catch (error) {
    options.onError(error, `delivering ${delivery.claim.messageId}`);
    const verdicts = recipients.map(deferForOurFault);
    return withTries(decideOutcome(facts(), verdicts), verdicts);
  }
}

type Recipients = AttemptFacts['recipients'];
type Ready = Extract<BuiltMessage, { readonly ok: true }> & { readonly transport: Transport };

/** The message and its transport, or why it can never be sent. Releases the content. */
async function build(
  builder: MessageBuilder,
  delivery: LeasedDelivery,
  transport: Transport | null,
  isComplete: boolean,
): Promise<Ready | NeverSent> {
  const { content, claim } = delivery;
  delivery.content = null;
  if (content === null || !content.hasBody) return fail('The stored body expired before delivery.');
  if (transport === null) return fail(`There is no transport for the route "${claim.route}".`);
  // The envelope is exactly the list that was checked at acceptance, or nothing is sent.
  if (!isComplete)
    return content.hold === null ? fail('The stored recipients are incomplete.') : unapproved('the list of recipients');
  const built = await builder.build(content, claim.ordinals);
  return built.ok ? { ...built, transport } : built;
}

function fail(reason: string): NeverSent {
  return { ok: false, reason };
}

/** The envelope of a held message names approved recipients only. */
function assertApproved(built: Ready | NeverSent, recipients: Recipients): Ready | NeverSent {
  if (!built.ok || built.approvedFor === null) return built;
  const { approvedFor } = built;
  return recipients.every(({ email }) => approvedFor.has(email)) ? built : unapproved('the list of recipients');
}

/** In the order of the message's recipients. */
function recipientsOf({ claim, content }: LeasedDelivery): DeliveryContent['recipients'] {
  const all: DeliveryContent['recipients'] = content?.recipients ?? [];
  return all.length === claim.ordinals.length ? all : all.filter(({ o }) => claim.ordinals.includes(o));
}

/** Lease and attempt are read when the outcome is known, because they change if the delivery had to be claimed again in the meantime. */
function factsOf(
  { clock, random }: AttemptOptions,
  { claim, leaseId }: LeasedDelivery,
  transport: Transport | null,
  recipients: Recipients,
  recipientsInMessage: number,
): AttemptFacts {
  return {
    accountId: claim.accountId,
    deliveryId: claim.id,
    messageId: claim.messageId,
    leaseId,
    attempt: claim.attempt,
    expiresAt: claim.expiresAt,
    recipients,
    recipientsInMessage,
    acceptedMeans: transport?.acceptedMeans ?? 'sent',
    isSimulated: transport?.isSimulated === true,
    now: clock.now(),
    random: random(),
  };
}

function deferralVerdict({ notBefore, reason }: Deferral) {
  return { outcome: 'deferred', reply: null, reason, ambiguous: false, costsNoAttempt: true, notBefore } as const;
}

function deferForOurFault({ email }: Recipients[number]): RecipientVerdict {
  const reason = 'The message could not be sent because of an internal error.';
  return { recipient: email, outcome: 'deferred', reply: null, reason, ambiguous: false };
}
