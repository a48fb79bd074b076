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
 * Under load outcomes wait longer for company. A batch of 20 costs the database nearly as much as one of 80, and the outcomes are in the
 * journal meanwhile; all that anybody sees is a status that changes a tenth of a second later.
 */
const BUSY_FLUSH_EVERY_MS = 100;
const BUSY_AT = 10;
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
  /** True while the database takes no outcomes: those who claim now could be given what is only waiting to be recorded. */
  readonly isStuck: boolean;
  /** Resolves when the outcome is committed; with false where it was void, because the attempt had been overtaken. */
  record(outcome: AttemptOutcome): Promise<boolean>;
  /** Records what is waiting, now. */
  flush(): Promise<void>;
  /**
   * Records what is waiting, for at most `graceMs`; what the database does not take by then stays in the journal, for the next start.
   * Outcomes that come later are dropped: by then their leases have been given back.
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
  let isHurried = false;
  let isStuck = false;
  let isClosed = false;
  let hasGivenUp = false;

  function record(outcome: AttemptOutcome): Promise<boolean> {
    if (isClosed) return Promise.resolve(false);
    return new Promise((resolve) => {
      // Replies that arrive in the same turn of the event loop share one write.
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

  /** A batch that is not full waits for company, also while another is being written: small ones cost nearly as much as large ones. */
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
      // What still waits may look abandoned in the database: only when all of it is recorded can a claim bring nothing that is known here.
      isStuck &&= waiting.length > 0;
      for (const { outcome, resolve } of batch) resolve(recorded.has(outcome));
      options.journal.clearIfSettled(waiting.length - unjournaled.length);
    } while (waiting.length >= FLUSH_AT || ((isHurried || isStuck) && waiting.length > 0));
    working = null;
    if (waiting.length > 0 && !hasGivenUp) workSoon();
  }

  /** An outcome is known and journaled, so recording it is only a matter of the database coming back. Null when there is no more time. */
  async function recordUntilDone(outcomes: readonly AttemptOutcome[]): Promise<ReadonlySet<AttemptOutcome> | null> {
    while (!hasGivenUp) {
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
    isHurried = true;
    while (waiting.length > 0 && !hasGivenUp) await work();
    isHurried = false;
  }

  async function close(graceMs: number): Promise<void> {
    isClosed = true;
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    const giveUp = setTimeout(() => {
      hasGivenUp = true;
      resolve();
    }, graceMs);
    await Promise.race([flush(), isOver]);
    clearTimeout(giveUp);
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
 * One outcome that the database can never take must not hold up the others: after such a refusal each is recorded by itself, and the one
 * that is refused again without its words, which are all in it that came from outside. Answers those that were recorded.
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
  return { ...outcome, recipients, lastError: null };
}

/** Records a batch of outcomes and answers those that counted. Attempts that were overtaken in the meantime change nothing. */
export async function recordOutcomes(
  options: Recording,
  outcomes: readonly AttemptOutcome[],
): Promise<ReadonlySet<AttemptOutcome>> {
  const recorded = new Set<AttemptOutcome>();
  let left = outcomes;
  while (left.length > 0) {
    // Two delivery attempts of one message are recorded one after the other: the second builds on what the first made of the message.
    const byMessage = new Map(left.toReversed().map((outcome) => [outcome.messageId, outcome]));
    const { written, stale } = await recordOnce(options, [...byMessage.values()]);
    for (const outcome of byMessage.values()) if (written.has(outcome.deliveryId)) recorded.add(outcome);
    left = left.filter((outcome) => byMessage.get(outcome.messageId) !== outcome || stale.has(outcome.deliveryId));
  }
  return recorded;
}

/** Records outcomes of different messages; answers the deliveries of those that are written, and of those that have to be decided anew. */
async function recordOnce(
  options: Recording,
  outcomes: readonly AttemptOutcome[],
): Promise<{ readonly written: ReadonlySet<string>; readonly stale: ReadonlySet<string> }> {
  const rows = toOutcomeRows(outcomes, await readFacts(options.sql, outcomes), options.ids);
  const answers = await writeWithSuppressions(options.sql, options.ids, outcomes, rows);
  const done = new Set(answers.filter(({ isWritten }) => isWritten).map(({ deliveryId }) => deliveryId));
  const attempts = rows.attempts.filter(({ delivery }) => done.has(delivery));
  if (attempts.length > 0) {
    options.onRecorded(attempts.map(({ message, status }) => ({ id: message, status })));
  }
  const firstRetry = attempts.flatMap(({ next_at }) => next_at ?? []).sort()[0];
  if (firstRetry !== undefined) options.onDueAt(new Date(firstRetry));
  return {
    written: done,
    stale: new Set(answers.filter(({ isWritten }) => !isWritten).map(({ deliveryId }) => deliveryId)),
  };
}

/** Only messages that an outcome does not know as a whole have to be asked for. */
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
