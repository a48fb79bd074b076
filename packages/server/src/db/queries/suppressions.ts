import type { Query } from '../client.ts';
import { POSTMASTER_ACCOUNT_ID } from './postmaster-account.ts';

export interface SuppressionRow {
  readonly id: string;
  /** Folded to lower case. */
  readonly email: string;
  readonly reason: string;
  readonly emailId: string | null;
  readonly note: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

export interface NewSuppression {
  readonly accountId: string;
  readonly id: string;
  /** Folded to lower case. */
  readonly email: string;
  readonly reason: string;
  readonly emailId: string | null;
  readonly note: string | null;
  readonly expiresAt: Date | null;
}

/** What an addition does with an entry of the same address: an expired one never counts. */
export interface AddOptions {
  readonly now: Date;
  /** True replaces an entry that would end some day, so that what was meant for ever holds for ever. */
  readonly replacesTemporary: boolean;
}

/**
 * Adds entries, of an account and address at most one, and answers the ids of those that were added: where the address was there, nothing is
 * changed. Entries go in by one order, so that two additions of the same addresses wait for each other and never in a circle; those that were
 * there are locked until the end of the transaction. Nothing is added to an account that is gone: its last bounces must not fail for it. Nothing
 * is added to the installation's own account either: one bounce must not keep sign-in mail from a person forever.
 */
export async function addSuppressions(
  query: Query,
  entries: readonly NewSuppression[],
  { now, replacesTemporary }: AddOptions,
): Promise<ReadonlySet<string>> {
  const rows = await query<{ id: string }[]>`
    INSERT INTO suppressions AS s (account_id, id, email, reason, email_id, note, created_at, expires_at)
    SELECT "accountId", id, email, reason, "emailId", note, ${now}, "expiresAt"
    FROM json_to_recordset(${JSON.stringify(entries)}::text::json) AS g (
      "accountId" uuid, id uuid, email text, reason text, "emailId" uuid, note text, "expiresAt" timestamptz)
    WHERE "accountId" <> ${POSTMASTER_ACCOUNT_ID} AND EXISTS (SELECT FROM accounts a WHERE a.id = "accountId")
    ORDER BY "accountId", email
    ON CONFLICT (account_id, email) DO UPDATE
      SET id = excluded.id, reason = excluded.reason, email_id = excluded.email_id, note = excluded.note,
        created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE s.expires_at <= ${now} OR (${replacesTemporary} AND s.expires_at IS NOT NULL)
    RETURNING id`;
  return new Set(rows.map(({ id }) => id));
}

/** The entries of these addresses that count, in no order. */
export async function readSuppressionsOf(
  query: Query,
  accountId: string,
  emails: readonly string[],
  now: Date,
): Promise<readonly SuppressionRow[]> {
  return await query<SuppressionRow[]>`
    SELECT ${columns(query)} FROM suppressions
    WHERE account_id = ${accountId} AND email = ANY (${[...emails]}::text[]) AND (expires_at IS NULL OR expires_at > ${now})`;
}

/** How an entry is named: by its id or by its address, folded. */
export type SuppressionName = { readonly id: string } | { readonly email: string };

/** One entry that counts; null where the account has none of that name. */
export async function readSuppression(
  query: Query,
  accountId: string,
  name: SuppressionName,
  now: Date,
): Promise<SuppressionRow | null> {
  const [row] = await query<SuppressionRow[]>`
    SELECT ${columns(query)} FROM suppressions
    WHERE account_id = ${accountId} AND ${named(query, name)} AND (expires_at IS NULL OR expires_at > ${now})`;
  return row ?? null;
}

/** Removes one entry that counts and answers it; null where the account has none of that name. */
export async function removeSuppression(
  query: Query,
  accountId: string,
  name: SuppressionName,
  now: Date,
): Promise<SuppressionRow | null> {
  const [row] = await query<SuppressionRow[]>`
    DELETE FROM suppressions
    WHERE account_id = ${accountId} AND ${named(query, name)} AND (expires_at IS NULL OR expires_at > ${now})
    RETURNING ${columns(query)}`;
  return row ?? null;
}

/** Removes the entries of all accounts that have expired: they count no more, and nobody sees them any more. */
export async function removeExpiredSuppressions(query: Query, now: Date): Promise<void> {
  await query`DELETE FROM suppressions WHERE expires_at <= ${now}`;
}

export interface SuppressionFilter {
  readonly accountId: string;
  /** The whole address, folded; null for any. */
  readonly email: string | null;
  /** A part of the address, folded; null for any. */
  readonly part: string | null;
  readonly reason: string | null;
  readonly now: Date;
}

/** One page of the entries that count, newest first. */
export async function listSuppressions(
  query: Query,
  filter: SuppressionFilter & { readonly before: string | null; readonly limit: number },
): Promise<readonly SuppressionRow[]> {
  return await query<SuppressionRow[]>`
    SELECT ${columns(query)} FROM suppressions WHERE ${matches(query, filter)}
      ${filter.before === null ? query`` : query`AND id < ${filter.before}`}
    ORDER BY id DESC LIMIT ${filter.limit}`;
}

/** Counts matches, but never past `cap`. */
export async function countSuppressions(
  query: Query,
  filter: SuppressionFilter & { readonly cap: number },
): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM suppressions WHERE ${matches(query, filter)} LIMIT ${filter.cap}) AS matches`;
  return row?.count ?? 0;
}

function columns(query: Query) {
  return query`id, email, reason, email_id AS "emailId", note, created_at AS "createdAt", expires_at AS "expiresAt"`;
}

function named(query: Query, name: SuppressionName) {
  return 'id' in name ? query`id = ${name.id}` : query`email = ${name.email}`;
}

function matches(query: Query, { accountId, email, part, reason, now }: SuppressionFilter) {
  return query`account_id = ${accountId} AND (expires_at IS NULL OR expires_at > ${now})
    ${email === null ? query`` : query`AND email = ${email}`}
    ${part === null ? query`` : query`AND strpos(email, ${part}) > 0`}
    ${reason === null ? query`` : query`AND reason = ${reason}`}`;
}
