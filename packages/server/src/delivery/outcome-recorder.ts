import type { MessageStatus } from '@postrider/core';
import type { Sql } from '../db/client.ts';
import {
  type LockedAttempt,
  lockAttempts,
  type OutcomeRows,
  readRecipientStatuses,
  writeOutcomes,
} from '../db/queries/record-outcomes.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { messageStatusOf, nextRecipientStatus } from './message-status.ts';
import type { ReplyJournal } from './reply-journal.ts';

const FLUSH_EVERY_MS = 25;
const FLUSH_AT = 200;
const RETRY_AFTER_MS = 250;

export interface OutcomeRecorderOptions {
  readonly sql: Sql;
  readonly ids: IdGenerator;
  readonly journal: ReplyJournal;
  /** Told about messages whose status changed, after the commit. */
  readonly onRecorded: (messages: readonly { readonly id: string; readonly status: MessageStatus }[]) => void;
  /** Told when a retry is due before the next regular look. */
  readonly onDueAt: (at: Date) => void;
  readonly onError: (error: unknown, what: string) => void;
}

/** Takes outcomes one by one, journals each at once, and records them together. */
export interface OutcomeRecorder {
  /** Resolves when the outcome is committed. */
  record(outcome: AttemptOutcome): Promise<void>;
  /** Records what is waiting, now. */
  flush(): Promise<void>;
}

interface Waiting {
  readonly outcome: AttemptOutcome;
  readonly resolve: () => void;
}

export function createOutcomeRecorder(options: OutcomeRecorderOptions): OutcomeRecorder {
  let waiting: Waiting[] = [];
  let unjournaled: AttemptOutcome[] = [];
  let timer: NodeJS.Timeout | null = null;
  let flushing: Promise<void> | null = null;

  function record(outcome: AttemptOutcome): Promise<void> {
    return new Promise((resolve) => {
      // Replies that arrive in the same turn of the event loop share one write.
      if (unjournaled.push(outcome) === 1) setImmediate(writeJournal);
      if (waiting.push({ outcome, resolve }) >= FLUSH_AT) void flush();
      else timer ??= setTimeout(() => void flush(), FLUSH_EVERY_MS);
    });
  }

  function writeJournal(): void {
    if (unjournaled.length === 0) return;
    options.journal.append(unjournaled);
    unjournaled = [];
  }

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    writeJournal();
    flushing ??= flushAll().finally(() => {
      flushing = null;
    });
    return flushing;
  }

  async function flushAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, FLUSH_AT);
      waiting = waiting.slice(FLUSH_AT);
      await recordUntilDone(batch.map(({ outcome }) => outcome));
      for (const { resolve } of batch) resolve();
      options.journal.clearIfSettled(waiting.length + unjournaled.length);
    }
  }

  /** An outcome is known and journaled, so recording it is only a matter of the database coming back. */
  async function recordUntilDone(outcomes: readonly AttemptOutcome[]): Promise<void> {
    for (;;) {
      try {
        return await recordOutcomes(options, outcomes);
      } catch (error) {
        options.onError(error, 'recording outcomes');
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    }
  }

  return { record, flush };
}

/** Records a batch of outcomes in one transaction. Attempts that were overtaken in the meantime change nothing. */
export async function recordOutcomes(
  options: Pick<OutcomeRecorderOptions, 'sql' | 'ids' | 'onRecorded' | 'onDueAt'>,
  outcomes: readonly AttemptOutcome[],
): Promise<void> {
  const rows = await options.sql.begin(async (transaction) => {
    const locked = new Map((await lockAttempts(transaction, outcomes)).map((row) => [row.deliveryId, row]));
    const current = outcomes.filter(({ deliveryId }) => locked.has(deliveryId));
    if (current.length === 0) return null;
    const partial = current.filter(({ recipients, recipientsInMessage }) => recipients.length < recipientsInMessage);
    const others = partial.length === 0 ? [] : await readRecipientStatuses(transaction, partial);
    const changes = toRows(current, locked, others, options.ids);
    await writeOutcomes(transaction, changes);
    return changes;
  });
  if (rows === null) return;
  // The statuses written are names of message-status.ts; rows carry them as text.
  options.onRecorded(rows.messages.map(({ id, status }) => ({ id, status: status as MessageStatus })));
  for (const at of earliest(rows.retried)) options.onDueAt(at);
}

function toRows(
  outcomes: readonly AttemptOutcome[],
  locked: ReadonlyMap<string, LockedAttempt>,
  others: readonly { readonly messageId: string; readonly ordinal: number; readonly status: string }[],
  ids: IdGenerator,
): OutcomeRows {
  const statuses = new Map<string, Map<number, MessageStatus>>();
  for (const { messageId, ordinal, status } of others) {
    // The column holds what message-status.ts names.
    statusesOf(statuses, messageId).set(ordinal, status as MessageStatus);
  }
  const counts = new Map<string, number>();
  const events: OutcomeRows['events'][number][] = [];
  for (const outcome of outcomes) {
    const known = statusesOf(statuses, outcome.messageId);
    let seq = counts.get(outcome.messageId) ?? locked.get(outcome.deliveryId)?.eventCount ?? 0;
    for (const recipient of outcome.recipients) {
      known.set(recipient.ordinal, nextRecipientStatus(known.get(recipient.ordinal) ?? 'sending', recipient.change));
      for (const event of recipient.events) {
        seq += 1;
        events.push(eventRow(outcome, recipient.email, event, seq, ids));
      }
    }
    counts.set(outcome.messageId, seq);
  }
  return { ...messageRows(outcomes, statuses, counts), ...deliveryRows(outcomes), events };
}

function eventRow(
  outcome: AttemptOutcome,
  email: string,
  event: AttemptOutcome['recipients'][number]['events'][number],
  seq: number,
  ids: IdGenerator,
): OutcomeRows['events'][number] {
  return {
    account_id: outcome.accountId,
    message_id: outcome.messageId,
    seq,
    id: ids.next(new Date(outcome.at)),
    type: event.type,
    recipient: email,
    classification: event.classification,
    detail: event.detail,
    created_at: outcome.at,
  };
}

function messageRows(
  outcomes: readonly AttemptOutcome[],
  statuses: ReadonlyMap<string, ReadonlyMap<number, MessageStatus>>,
  counts: ReadonlyMap<string, number>,
): Pick<OutcomeRows, 'messages' | 'recipients'> {
  const byMessage = Map.groupBy(outcomes, ({ messageId }) => messageId);
  const messages = [...byMessage].map(([messageId, group]) => ({
    account_id: group[0]?.accountId ?? '',
    id: messageId,
    status: messageStatusOf([...(statuses.get(messageId)?.values() ?? [])]),
    event_count: counts.get(messageId) ?? 0,
    // Of two hand-offs of one message that end together, the one that went well must not hide why the other did not.
    last_error: group.findLast(({ lastError }) => lastError !== null)?.lastError ?? null,
  }));
  const recipients = outcomes.flatMap(({ accountId, messageId, recipients: settled }) =>
    settled.map(({ ordinal }) => ({
      account_id: accountId,
      message_id: messageId,
      ordinal,
      status: statuses.get(messageId)?.get(ordinal) ?? 'failed',
    })),
  );
  return { messages, recipients };
}

function deliveryRows(outcomes: readonly AttemptOutcome[]): Pick<OutcomeRows, 'finished' | 'retried'> {
  const finished = outcomes
    .filter(({ retryAt }) => retryAt === null)
    .map(({ accountId, deliveryId }) => ({ account_id: accountId, id: deliveryId }));
  const retried = outcomes.flatMap((outcome) =>
    outcome.retryAt === null
      ? []
      : [
          {
            account_id: outcome.accountId,
            id: outcome.deliveryId,
            ordinals: outcome.recipients.filter(({ change }) => change === 'deferred').map(({ ordinal }) => ordinal),
            next_at: outcome.retryAt,
          },
        ],
  );
  return { finished, retried };
}

function earliest(retried: OutcomeRows['retried']): readonly Date[] {
  const first = retried.map(({ next_at }) => next_at).sort()[0];
  return first === undefined ? [] : [new Date(first)];
}

function statusesOf(all: Map<string, Map<number, MessageStatus>>, messageId: string): Map<number, MessageStatus> {
  const existing = all.get(messageId);
  if (existing !== undefined) return existing;
  const made = new Map<number, MessageStatus>();
  all.set(messageId, made);
  return made;
}
