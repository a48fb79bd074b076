import type { MessageStatus } from '@postrider/core';
import type { OutcomeRows } from '../db/queries/record-outcomes.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { messageStatusOf, nextRecipientStatus, type RecipientChange } from './message-status.ts';
import { joinTries } from './stored-attempt.ts';

/** A message as it was read: its number of events, and the status of each recipient by ordinal. */
export interface MessageFacts {
  readonly eventCount: number;
  readonly statuses: ReadonlyMap<number, MessageStatus>;
}

/**
 * The changes that outcomes make, at most one outcome per message. `facts` has the messages of which an outcome covers
 * only some recipients. If it covers all, the status of the message follows from the outcome alone.
 */
export function toOutcomeRows(
  outcomes: readonly AttemptOutcome[],
  facts: ReadonlyMap<string, MessageFacts>,
  ids: IdGenerator,
): OutcomeRows {
  const rows: Writable<OutcomeRows> = { attempts: [], recipients: [], events: [] };
  for (const [o, outcome] of outcomes.entries()) {
    const seen = facts.get(outcome.messageId) ?? null;
    const status = addRecipients(rows, o, outcome, seen);
    rows.attempts.push({ o, ...toAttemptRow(outcome, status, seen, addEvents(rows, o, outcome, ids)) });
  }
  return rows;
}

type Writable<Rows> = { -readonly [Name in keyof Rows]: Rows[Name] extends readonly (infer Row)[] ? Row[] : never };

/** Returns the status of the message. */
function addRecipients(
  rows: Writable<OutcomeRows>,
  of: number,
  { recipients }: AttemptOutcome,
  seen: MessageFacts | null,
): MessageStatus {
  const statuses = new Map(seen?.statuses);
  for (const { ordinal, change } of recipients) {
    const status = nextRecipientStatus(statuses.get(ordinal) ?? 'sending', change);
    statuses.set(ordinal, status);
    rows.recipients.push({ of, ordinal, state: status });
  }
  return messageStatusOf([...statuses.values()]);
}

/** Returns the count. */
function addEvents(rows: Writable<OutcomeRows>, by: number, outcome: AttemptOutcome, ids: IdGenerator): number {
  const at = new Date(outcome.at);
  let n = 0;
  let tries = attemptOf(outcome);
  for (const { email, events } of outcome.recipients) {
    for (const { type, classification, detail } of events) {
      n += 1;
      const what = { type, recipient: email, classification, detail, at: outcome.at };
      // A suppressed recipient was not part of the attempt.
      const isFirst = tries !== null && type !== 'suppressed';
      rows.events.push({ by, n, id: ids.next(at), ...what, tries: isFirst ? tries : null });
      if (isFirst) tries = null;
    }
  }
  return n;
}

/** The attempt is stored with its first event, so that it needs no row. */
function attemptOf({ attempt, transport, tries }: AttemptOutcome): string | null {
  return transport === undefined || tries === undefined || tries.length === 0
    ? null
    : joinTries(attempt, transport, tries);
}

function toAttemptRow(
  outcome: AttemptOutcome,
  status: MessageStatus,
  seen: MessageFacts | null,
  events: number,
): Omit<OutcomeRows['attempts'][number], 'o'> {
  const { recipients, retryAt } = outcome;
  const isOpen = (change: RecipientChange) => change === 'deferred' || change === 'queued';
  const deferred = () => recipients.filter(({ change }) => isOpen(change)).map(({ ordinal }) => ordinal);
  return {
    account: outcome.accountId,
    delivery: outcome.deliveryId,
    message: outcome.messageId,
    lease: outcome.leaseId,
    attempt: outcome.attempt,
    uncounted: outcome.costsNoAttempt === true ? 1 : 0,
    seen: seen?.eventCount ?? null,
    status,
    events,
    error: lastErrorOf(outcome, seen),
    next_at: retryAt,
    ordinals: retryAt === null ? null : `{${deferred().join()}}`,
  };
}

/** A delay does not replace the text about a recipient of another delivery attempt that has ended. */
function lastErrorOf({ lastError, recipients }: AttemptOutcome, seen: MessageFacts | null): string | null {
  const isEnd = (status: string) => status === 'bounced' || status === 'failed';
  if (recipients.some(({ change }) => isEnd(change)) || seen === null) return lastError;
  return [...seen.statuses.values()].some(isEnd) ? null : lastError;
}
