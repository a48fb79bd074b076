import { type Classification, foldAddress } from '@postrider/core';
import type { RecipientVerdict } from '../smtp-client/transport.ts';
import type { AttemptOutcome, RecipientOutcome } from './attempt-outcome.ts';
import { classifyReply } from './classify-reply.ts';
import { nextAttemptAt } from './retry-schedule.ts';

export interface AttemptFacts {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly messageId: string;
  readonly leaseId: string;
  readonly attempt: number;
  readonly expiresAt: Date;
  /** The recipients of this delivery. */
  readonly recipients: readonly { readonly ordinal: number; readonly email: string }[];
  readonly recipientsInMessage: number;
  readonly acceptedMeans: 'sent' | 'delivered';
  /** The same as on the transport. */
  readonly isSimulated: boolean;
  readonly now: Date;
  /** In [0, 1): spreads the retries. */
  readonly random: number;
}

/** Wait as long as after a first deferred attempt. */
const UNTRIED_WAIT_MS = 30_000;

export interface SuppressedRecipient {
  readonly ordinal: number;
  readonly email: string;
  /** Why it is on the suppression list. */
  readonly reason: string;
}

/**
 * Decides what an attempt means for each recipient. Accepted is `sent` (and `delivered` if acceptance is final). Refused
 * is a bounce with its classification. Deferred is retried until the schedule ends, and is then a soft bounce.
 */
export function decideOutcome(facts: AttemptFacts, verdicts: readonly RecipientVerdict[]): AttemptOutcome {
  const replied = facts.recipients.map((recipient, index) => ({
    recipient,
    verdict: findVerdict(verdicts, recipient.email, index) ?? withoutVerdict(recipient.email),
  }));
  const deferred = replied.filter(({ verdict }) => verdict.outcome === 'deferred').map(({ verdict }) => verdict);
  // If at least one recipient was attempted, the attempt counts for all of them.
  if (deferred.length === replied.length && deferred.every(({ costsNoAttempt }) => costsNoAttempt === true)) {
    const untried = postpone(facts, deferred);
    if (untried !== null) return untried;
  }
  const retryAt = deferred.length === 0 ? null : nextRetry(facts, deferred);
  const recipients = replied.map(({ recipient, verdict }) =>
    decideRecipient(recipient, verdict, facts.acceptedMeans, retryAt !== null),
  );
  return {
    ...fenceOf(facts),
    recipients,
    retryAt: retryAt?.toISOString() ?? null,
    lastError: lastErrorOf(recipients),
  };
}

/** No recipient was attempted, so nothing changes. Null if the retry time is over, which this does not extend. */
function postpone(facts: AttemptFacts, verdicts: readonly RecipientVerdict[]): AttemptOutcome | null {
  const { now, expiresAt, attempt } = facts;
  if (verdicts.length === 0 || now >= expiresAt) return null;
  const notBeforeMs = Math.max(
    ...verdicts.map(({ notBefore }) => notBefore?.getTime() ?? now.getTime() + UNTRIED_WAIT_MS),
  );
  const change = attempt === 1 ? 'queued' : 'deferred';
  return {
    ...fenceOf(facts),
    recipients: facts.recipients.map((recipient) => ({ ...recipient, change, events: [] })),
    retryAt: new Date(Math.min(notBeforeMs, expiresAt.getTime())).toISOString(),
    lastError: verdicts[0]?.reason || null,
    costsNoAttempt: true,
  };
}

/** The outcome of a delivery that cannot be sent at all, for a reason on our side: a retry would not help. */
export function failOutcome(facts: AttemptFacts, reason: string): AttemptOutcome {
  const event = { type: 'failed', classification: null, detail: reason } as const;
  const recipients = facts.recipients.map(
    (recipient): RecipientOutcome => ({ ...recipient, change: 'failed', events: [event] }),
  );
  return { ...fenceOf(facts), recipients, retryAt: null, lastError: reason };
}

/** Adds the recipients that were not sent to because they are now on the suppression list. */
export function addSuppressed(outcome: AttemptOutcome, suppressed: readonly SuppressedRecipient[]): AttemptOutcome {
  if (suppressed.length === 0) return outcome;
  const recipients = suppressed.map(({ ordinal, email, reason }): RecipientOutcome => {
    const detail = `The address was added to the suppression list (${reason}) before the message was sent.`;
    return { ordinal, email, change: 'suppressed', events: [{ type: 'suppressed', classification: null, detail }] };
  });
  return { ...outcome, recipients: [...recipients, ...outcome.recipients] };
}

/** A transport returns verdicts in the order of the recipients. Any other order is handled too. */
function findVerdict(
  verdicts: readonly RecipientVerdict[],
  email: string,
  index: number,
): RecipientVerdict | undefined {
  const expected = verdicts[index];
  if (expected?.recipient === email) return expected;
  return verdicts.findLast(({ recipient }) => foldAddress(recipient) === foldAddress(email));
}

function nextRetry(facts: AttemptFacts, deferred: readonly RecipientVerdict[]): Date | null {
  if (deferred.some(({ retryAtOnce }) => retryAtOnce === true)) return facts.now;
  const { attempt, now, expiresAt, random } = facts;
  return nextAttemptAt({ attempt, now, expiresAt, random });
}

function decideRecipient(
  recipient: { readonly ordinal: number; readonly email: string },
  verdict: RecipientVerdict,
  acceptedMeans: 'sent' | 'delivered',
  canRetry: boolean,
): RecipientOutcome {
  switch (verdict.outcome) {
    case 'accepted':
      return { ...recipient, ...accepted(verdict, acceptedMeans) };
    case 'refused':
      return { ...recipient, ...bounced(verdict.classification ?? classifyReply(verdict.reply, 'refused'), verdict) };
    case 'deferred':
      if (!canRetry) return { ...recipient, ...bounced('soft', verdict, 'The retries ran out. ') };
      return {
        ...recipient,
        change: 'deferred',
        events: [{ type: 'deferred', classification: null, detail: detailOf(verdict) }],
      };
  }
}

function accepted(
  verdict: RecipientVerdict,
  acceptedMeans: 'sent' | 'delivered',
): Pick<RecipientOutcome, 'change' | 'events'> {
  const sent = { type: 'sent', classification: null, detail: detailOf(verdict) } as const;
  if (acceptedMeans === 'sent') return { change: 'sent', events: [sent] };
  const delivered = { type: 'delivered', classification: null, detail: verdict.deliveredDetail ?? null } as const;
  if (verdict.complaint !== true) return { change: 'delivered', events: [sent, delivered] };
  const complained = { type: 'complained', classification: 'spam', detail: null } as const;
  return { change: 'complained', events: [sent, delivered, complained] };
}

function bounced(
  classification: Classification,
  verdict: RecipientVerdict,
  preface = '',
): Pick<RecipientOutcome, 'change' | 'events'> {
  return { change: 'bounced', events: [{ type: 'bounced', classification, detail: `${preface}${detailOf(verdict)}` }] };
}

function detailOf(verdict: RecipientVerdict): string {
  const { reply } = verdict;
  const said = reply === null ? verdict.reason : (reply.lines?.join('\n') ?? `${reply.code} ${reply.text}`);
  return verdict.ambiguous
    ? `${said} (ambiguous: the connection was lost after the whole message had been sent)`
    : said;
}

/** The text for the worst result: a final one before a delay, and the last one of several. */
function lastErrorOf(recipients: readonly RecipientOutcome[]): string | null {
  const ended = recipients.findLast(({ change }) => change === 'failed' || change === 'bounced');
  const worst = ended ?? recipients.findLast(({ change }) => change === 'deferred');
  return worst === undefined ? null : `${worst.email}: ${worst.events.at(-1)?.detail ?? worst.change}`;
}

/** A transport must return a verdict for every recipient. A missing one must not leave the message stuck. */
function withoutVerdict(recipient: string): RecipientVerdict {
  return {
    recipient,
    outcome: 'deferred',
    reply: null,
    reason: 'The transport returned no verdict.',
    ambiguous: false,
  };
}

function fenceOf(facts: AttemptFacts) {
  const { accountId, deliveryId, messageId, leaseId, attempt, recipientsInMessage, isSimulated, now } = facts;
  const fence = { accountId, deliveryId, messageId, leaseId, attempt, recipientsInMessage, at: now.toISOString() };
  return isSimulated ? { ...fence, isSimulated } : fence;
}
