import { foldAddress } from '@postrider/core';
import type { Sql } from '../db/client.ts';
import { type OutcomeRows, type WrittenOutcome, writeOutcomes } from '../db/queries/record-outcomes.ts';
import type { NewSuppression } from '../db/queries/suppressions.ts';
import { automaticReasonOf } from '../suppressions/automatic-reason.ts';
import { suppress } from '../suppressions/suppress.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';

/**
 * Writes outcomes, at most one per message, together with the suppressions that they cause: an address that bounced hard
 * or complained is added in the same transaction as the event that says so. Nearly every batch has no suppressions and
 * is one statement.
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
    // Proof that an address is bad outlasts a temporary entry that a user made.
    const options = { now: new Date(first.at), actor: 'system', replacesTemporary: true };
    if (entries.length > 0) await suppress(transaction, ids, entries, options);
    return written;
  });
}

/** A simulated result proves nothing about an address: test addresses are never suppressed. */
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
