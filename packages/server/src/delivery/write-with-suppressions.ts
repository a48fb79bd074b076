import { foldAddress } from '@postrider/core';
import type { Sql } from '../db/client.ts';
import { type OutcomeRows, type WrittenOutcome, writeOutcomes } from '../db/queries/record-outcomes.ts';
import type { NewSuppression } from '../db/queries/suppressions.ts';
import { automaticReasonOf } from '../suppressions/automatic-reason.ts';
import { suppress } from '../suppressions/suppress.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';

/**
 * Writes outcomes, of each message at most one, and what they put on the suppression list: an address that bounced hard or complained is on it
 * with the event that says so, or neither is written. Nearly every batch has nothing of the kind, and is one statement.
 */
export async function writeWithSuppressions(
  sql: Sql,
  ids: IdGenerator,
  outcomes: readonly AttemptOutcome[],
  rows: OutcomeRows,
): Promise<readonly WrittenOutcome[]> {
  const condemning = outcomes.filter((outcome) => toSuppressions(outcome, ids).length > 0);
  const [first] = condemning;
  if (first === undefined) return await writeOutcomes(sql, rows);
  return await sql.begin(async (transaction) => {
    const written = await writeOutcomes(transaction, rows);
    const counted = new Set(written.filter(({ isWritten }) => isWritten).map(({ deliveryId }) => deliveryId));
    const entries = condemning
      .filter(({ deliveryId }) => counted.has(deliveryId))
      .flatMap((outcome) => toSuppressions(outcome, ids));
    // What proves an address bad outlasts an entry that somebody made for a while.
    const options = { now: new Date(first.at), actor: 'system', replacesTemporary: true };
    if (entries.length > 0) await suppress(transaction, ids, entries, options);
    return written;
  });
}

/** What was only simulated proves nothing about an address: test addresses never enter the list. */
function toSuppressions(outcome: AttemptOutcome, ids: IdGenerator): readonly NewSuppression[] {
  const { accountId, messageId: emailId, at, isSimulated, recipients } = outcome;
  if (isSimulated === true) return [];
  return recipients.flatMap(({ email, events }) => {
    const reasons = events.flatMap(({ type, classification }) => automaticReasonOf(type, classification) ?? []);
    return reasons.slice(0, 1).map((reason) => {
      const entry = { accountId, id: ids.next(new Date(at)), email: foldAddress(email), reason, emailId };
      return { ...entry, note: null, expiresAt: null };
    });
  });
}
