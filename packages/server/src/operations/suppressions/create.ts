import { foldAddress } from '@postrider/core';
import type { Transaction } from '../../db/client.ts';
import { readSuppressionsOf, type SuppressionRow } from '../../db/queries/suppressions.ts';
import { ProblemError } from '../../problem.ts';
import { suppress } from '../../suppressions/suppress.ts';
import { toSuppression } from '../../suppressions/suppression-record.ts';
import { redactSuppressions } from '../../visibility/redact-suppressions.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';

/** Adds one or many addresses to the suppression list, all of them or none. */
export const createSuppression: Handler<'suppressions.create'> = async (
  { body },
  { services: { database }, caller },
) => {
  const now = database.clock.now();
  const expiresAt = body.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= now) throw pastExpiry(expiresAt);
  const { accountId, keyId: actor } = caller;
  const mailboxes = body.emails ?? (body.email === undefined ? [] : [body.email]);
  const emails = [...new Set(mailboxes.map(({ address }) => foldAddress(address)))];
  const common = { accountId, reason: body.reason ?? 'manual', emailId: null, note: body.note ?? null, expiresAt };
  const entries = emails.map((email) => ({ ...common, id: database.ids.next(now), email }));
  const { added, rows } = await database.sql.begin(async (transaction) => ({
    added: await suppress(transaction, database.ids, entries, {
      now,
      actor, // A permanent entry replaces a temporary one; otherwise the suppression would end with the temporary entry.
      replacesTemporary: expiresAt === null,
    }),
    rows: await readInOrder(transaction, accountId, emails, now),
  }));
  const shown = await redactSuppressions(database.sql, accountId, rows, viewerOf(caller));
  const [first] = shown;
  const status = added.size > 0 ? 201 : 200;
  if (body.emails === undefined && first !== undefined) return { status, body: toSuppression(first) };
  const counts = { added: added.size, existing: rows.length - added.size };
  return { status, body: { suppressions: shown.map(toSuppression), ...counts } };
};

/** In the order of the addresses. Each one exists: existing entries were locked, and missing ones were added. */
async function readInOrder(
  transaction: Transaction,
  accountId: string,
  emails: readonly string[],
  now: Date,
): Promise<readonly SuppressionRow[]> {
  const rows = await readSuppressionsOf(transaction, accountId, emails, now);
  const byEmail = new Map(rows.map((row) => [row.email, row]));
  return emails.flatMap((email) => byEmail.get(email) ?? []);
}

function pastExpiry(expiresAt: Date): ProblemError {
  const message = 'must be in the future';
  return new ProblemError('validation_failed', {
    detail: `expiresAt: ${message}, and ${expiresAt.toISOString()} is in the past.`,
    errors: [{ path: 'expiresAt', code: 'out_of_range', message }],
  });
}
