import type { MessageStatus } from '@postrider/core';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { readRecipientStatuses } from '../db/queries/record-outcomes.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { type MessageFacts, toOutcomeRows } from './outcome-rows.ts';
import type { ReplyJournal } from './reply-journal.ts';
import { writeWithSuppressions } from './write-with-suppressions.ts';

const FLUSH_EVERY_MS = 25;
const FLUSH_AT = 200;
/**
 * Under load, outcomes wait longer to fill a batch. A batch of 20 costs the database nearly as much as one of 80, and
 * the outcomes are in the journal already. The only visible effect is a status that changes a tenth of a second later.
 */
const BUSY_FLUSH_EVERY_MS = 100;
const BUSY_AT = 10;
const RETRY_AFTER_MS = 250;

export interface OutcomeRecorderOptions {
  readonly sql: Sql;
  readonly ids: IdGenerator;
  readonly journal: ReplyJournal;
  /** Called with the messages whose status changed, after the commit. */
  readonly onRecorded: (messages: readonly { readonly id: string; readonly status: MessageStatus }[]) => void;
  /** Called when a retry is due before the next regular check. */
  readonly onDueAt: (at: Date) => void;
  readonly onError: (error: unknown, what: string) => void;
}

/** Accepts outcomes one by one, journals each at once, and records them in batches. */
export interface OutcomeRecorder {
  /** True while the database accepts no outcomes: a new claim could return deliveries whose outcome only waits to be recorded. */
  readonly isStuck: boolean;
  /** Resolves when the outcome is committed, or with false if it was invalid because a newer attempt exists. */
  record(outcome: AttemptOutcome): Promise<boolean>;
  /** Records all waiting outcomes now. */
  flush(): Promise<void>;
  /**
   * Records waiting outcomes for at most `graceMs`. What the database does not accept by then stays in the journal for
   * the next start. Later outcomes are dropped: their leases have been given back by then.
   */
  close(graceMs: number): Promise<void>;
}

interface Waiting {
  readonly outcome: AttemptOutcome;
  readonly resolve: (isRecorded: boolean) => void;
}

export function createOutcomeRecorder(options: OutcomeRecorderOptions): OutcomeRecorder {
  const waiting: Waiting[] = [];
  let unjournaled: AttemptOutcome[] = [];
  let timer: NodeJS.Timeout | null = null;
  let working: Promise<void> | null = null;
  let lastBatch = 0;
  let isFlushing = false;
  let isStuck = false;
  let isClosed = false;
  let isAbandoned = false;

  function record(outcome: AttemptOutcome): Promise<boolean> {
    if (isClosed) return Promise.resolve(false);
    return new Promise((resolve) => {
      // Replies that arrive in the same tick share one write.
      if (unjournaled.push(outcome) === 1) setImmediate(writeJournal);
      waiting.push({ outcome, resolve });
      workSoon();
    });
  }

  function writeJournal(): void {
    if (unjournaled.length === 0) return;
    options.journal.append(unjournaled);
    unjournaled = [];
  }

  /** A batch that is not full waits for more, even while another one is being written: small batches cost nearly as much as large ones. */
  function workSoon(): void {
    if (waiting.length >= FLUSH_AT) void work();
    else timer ??= setTimeout(() => void work(), lastBatch >= BUSY_AT ? BUSY_FLUSH_EVERY_MS : FLUSH_EVERY_MS);
  }

  function work(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    working ??= writeBatches();
    return working;
  }

  async function writeBatches(): Promise<void> {
    do {
      const batch = waiting.slice(0, FLUSH_AT);
      lastBatch = batch.length;
      writeJournal();
      const recorded = await recordUntilDone(batch.map(({ outcome }) => outcome));
      if (recorded === null) break;
      waiting.splice(0, batch.length);
      // Unrecorded deliveries may look abandoned in the database. Only when all are recorded can a claim not return one
      // that is already done.
      isStuck &&= waiting.length > 0;
      for (const { outcome, resolve } of batch) resolve(recorded.has(outcome));
      options.journal.clearIfSettled(waiting.length - unjournaled.length);
    } while (waiting.length >= FLUSH_AT || ((isFlushing || isStuck) && waiting.length > 0));
    working = null;
    if (waiting.length > 0 && !isAbandoned) workSoon();
  }

  /**
   * The outcome is known and journaled, so recording it only depends on the database being available again. Null if
   * there is no time left.
   */
  async function recordUntilDone(outcomes: readonly AttemptOutcome[]): Promise<ReadonlySet<AttemptOutcome> | null> {
    while (!isAbandoned) {
      try {
        return await recordApart(options, outcomes);
      } catch (error) {
        isStuck = true;
        options.onError(error, 'recording outcomes');
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    }
    return null;
  }

  async function flush(): Promise<void> {
    isFlushing = true;
    while (waiting.length > 0 && !isAbandoned) await work();
    isFlushing = false;
  }

  async function close(graceMs: number): Promise<void> {
    isClosed = true;
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    const timeout = setTimeout(() => {
      isAbandoned = true;
      resolve();
    }, graceMs);
    await Promise.race([flush(), isOver]);
    clearTimeout(timeout);
  }

  return {
    record,
    flush,
    close,
    get isStuck() {
      return isStuck;
    },
  };
}

type Recording = Pick<OutcomeRecorderOptions, 'sql' | 'ids' | 'onRecorded' | 'onDueAt'>;

/**
 * One outcome that the database always rejects must not block the others. After a rejection each outcome is recorded
 * separately, and one that is rejected again is recorded without its text, which is the only external content. Returns
 * the recorded outcomes.
 */
async function recordApart(
  options: Recording & Pick<OutcomeRecorderOptions, 'onError'>,
  outcomes: readonly AttemptOutcome[],
): Promise<ReadonlySet<AttemptOutcome>> {
  try {
    return await recordOutcomes(options, outcomes);
  } catch (error) {
    if (classifyDatabaseError(error) !== 'data') throw error;
    options.onError(error, 'recording outcomes together');
    const recorded = new Set<AttemptOutcome>();
    for (const outcome of outcomes) if (await recordAlone(options, outcome, outcomes.length > 1)) recorded.add(outcome);
    return recorded;
  }
}

async function recordAlone(
  options: Parameters<typeof recordApart>[0],
  outcome: AttemptOutcome,
  withWords: boolean,
): Promise<boolean> {
  const recorded = withWords
    ? await recordApart(options, [outcome])
    : await recordOutcomes(options, [withoutWords(outcome)]);
  return recorded.size > 0;
}

function withoutWords(outcome: AttemptOutcome): AttemptOutcome {
  const recipients = outcome.recipients.map((recipient) => ({
    ...recipient,
    events: recipient.events.map((event) => ({ ...event, detail: null })),
  }));
  return { ...outcome, recipients, lastError: null, tries: [] };
}

/** Records a batch of outcomes and returns those that counted. Attempts that were superseded in the meantime change nothing. */
export async function recordOutcomes(
  options: Recording,
  outcomes: readonly AttemptOutcome[],
): Promise<ReadonlySet<AttemptOutcome>> {
  const recorded = new Set<AttemptOutcome>();
  let left = outcomes;
  while (left.length > 0) {
    // Two delivery attempts of one message are recorded one after the other: the second builds on what the first made of the message.
    const byMessage = new Map(left.toReversed().map((outcome) => [outcome.messageId, outcome]));
    // Sorted by message, so that all processes lock rows in the same order.
    const inOrder = [...byMessage.values()].sort((a, b) => (a.messageId < b.messageId ? -1 : 1));
    const { written, stale } = await recordOnce(options, inOrder);
    for (const outcome of byMessage.values()) if (written.has(outcome.deliveryId)) recorded.add(outcome);
    left = left.filter((outcome) => byMessage.get(outcome.messageId) !== outcome || stale.has(outcome.deliveryId));
  }
  return recorded;
}

/** Records outcomes of different messages. Returns the deliveries of those that are written, and of those that must be decided again. */
async function recordOnce(
  options: Recording,
  outcomes: readonly AttemptOutcome[],
): Promise<{ readonly written: ReadonlySet<string>; readonly stale: ReadonlySet<string> }> {
  const rows = toOutcomeRows(outcomes, await readFacts(options.sql, outcomes), options.ids);
  const responses = await writeWithSuppressions(options.sql, options.ids, outcomes, rows);
  const done = new Set(responses.filter(({ isWritten }) => isWritten).map(({ deliveryId }) => deliveryId));
  const attempts = rows.attempts.filter(({ delivery }) => done.has(delivery));
  if (attempts.length > 0) {
    options.onRecorded(attempts.map(({ message, status }) => ({ id: message, status })));
  }
  const firstRetry = attempts.flatMap(({ next_at }) => next_at ?? []).sort()[0];
  if (firstRetry !== undefined) options.onDueAt(new Date(firstRetry));
  return {
    written: done,
    stale: new Set(responses.filter(({ isWritten }) => !isWritten).map(({ deliveryId }) => deliveryId)),
  };
}

/** Only messages that an outcome covers partly must be read first. */
async function readFacts(sql: Sql, outcomes: readonly AttemptOutcome[]): Promise<ReadonlyMap<string, MessageFacts>> {
  const partial = outcomes.filter(({ recipients, recipientsInMessage }) => recipients.length < recipientsInMessage);
  if (partial.length === 0) return new Map();
  const facts = new Map<string, { eventCount: number; statuses: Map<number, MessageStatus> }>();
  for (const { messageId, eventCount, ordinal, status } of await readRecipientStatuses(sql, partial)) {
    const known = facts.get(messageId) ?? { eventCount, statuses: new Map() };
    facts.set(messageId, { ...known, statuses: known.statuses.set(ordinal, status) });
  }
  return facts;
}
