import { builder, named } from '../builder.ts';
import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { and, desc, eq, getTableColumns, lt, lte, type SQL, sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { returning } from '../result.ts';
import { suppressions } from '../schema/suppressions.ts';
import { defineStatement, type GivenOf, optional, value } from '../statement.ts';
import { POSTMASTER_ACCOUNT_ID } from './postmaster-account.ts';

const { accountId: _account, ...shown } = getTableColumns(suppressions);

/** An entry; its address is folded to lower case. */
export type SuppressionRow = Omit<typeof suppressions.$inferSelect, 'accountId'>;

const { createdAt: _createdAt, ...added } = getTableColumns(suppressions);

/** An entry to add; its address is folded to lower case. */
export type NewSuppression = RecordOf<typeof added>;

/** What an addition does with an existing entry of the same address. An expired entry never counts. */
export interface AddOptions {
  readonly now: Date;
  /** True replaces an entry with an expiry, so that an addition without one is permanent. */
  readonly replacesTemporary: boolean;
}

const add = defineStatement(
  { entries: value<string>(), now: suppressions.createdAt, replacesTemporary: value<boolean>() },
  ({ entries, now, replacesTemporary }) =>
    returning(
      { id: suppressions.id },
      sql`
        INSERT INTO suppressions AS s (account_id, id, email, reason, email_id, note, created_at, expires_at)
        SELECT "accountId", id, email, reason, "emailId", note, ${now}::timestamptz, "expiresAt"
        FROM json_to_recordset(${entries}::text::json) AS g (${sql.raw(recordColumns(added))})
        WHERE "accountId" <> ${POSTMASTER_ACCOUNT_ID} AND EXISTS (SELECT FROM accounts a WHERE a.id = "accountId")
        ORDER BY "accountId", email
        ON CONFLICT (account_id, email) DO UPDATE
          SET id = excluded.id, reason = excluded.reason, email_id = excluded.email_id, note = excluded.note,
            created_at = excluded.created_at, expires_at = excluded.expires_at
          WHERE NOT is_suppressing(s.expires_at, ${now}) OR (${replacesTemporary}::boolean AND s.expires_at IS NOT NULL)
        RETURNING id`,
    ),
);

/**
 * Adds entries, at most one for each account and address, and returns the ids of the added ones. They are inserted in one order, so that
 * concurrent additions cannot deadlock. Skips deleted accounts, whose last bounces must not fail for it, and the installation's own
 * account: one bounce must not block sign-in mail to a user forever.
 */
export async function addSuppressions(
  query: Query,
  entries: readonly NewSuppression[],
  { now, replacesTemporary }: AddOptions,
): Promise<ReadonlySet<string>> {
  const rows = await add(query, { entries: JSON.stringify(entries), now, replacesTemporary });
  return new Set(rows.map(({ id }) => id));
}

const readOf = defineStatement(
  { accountId: suppressions.accountId, emails: value<readonly string[]>(), now: value<Date>() },
  ({ accountId, emails, now }) =>
    builder
      .select(named(shown))
      .from(suppressions)
      .where(and(eq(suppressions.accountId, accountId), sql`${suppressions.email} = ANY (${emails})`, counts(now))),
);

/** The active entries of these addresses, unordered. */
export async function readSuppressionsOf(
  query: Query,
  accountId: string,
  emails: readonly string[],
  now: Date,
): Promise<readonly SuppressionRow[]> {
  return await readOf(query, { accountId, emails, now });
}

/** Identifies an entry by its id or by its folded address. */
export type SuppressionName = { readonly id: string } | { readonly email: string };

const NAMING = { accountId: suppressions.accountId, name: value<string>(), now: value<Date>() };

function isNamed(column: typeof suppressions.id | typeof suppressions.email, given: GivenOf<typeof NAMING>) {
  return and(eq(suppressions.accountId, given.accountId), eq(column, given.name), counts(given.now));
}

const readBy = (column: typeof suppressions.id | typeof suppressions.email) =>
  defineStatement(NAMING, (given) => builder.select(named(shown)).from(suppressions).where(isNamed(column, given)));

const read = { id: readBy(suppressions.id), email: readBy(suppressions.email) };

/** One active entry; null if the account has none with that id or address. */
export async function readSuppression(
  query: Query,
  accountId: string,
  name: SuppressionName,
  now: Date,
): Promise<SuppressionRow | null> {
  const rows =
    'id' in name
      ? await read.id(query, { accountId, name: name.id, now })
      : await read.email(query, { accountId, name: name.email, now });
  return rows[0] ?? null;
}

const removeBy = (column: typeof suppressions.id | typeof suppressions.email) =>
  defineStatement(NAMING, (given) =>
    builder.delete(suppressions).where(isNamed(column, given)).returning(named(shown)),
  );

const remove = { id: removeBy(suppressions.id), email: removeBy(suppressions.email) };

/** Removes one active entry and returns it; null if the account has none with that id or address. */
export async function removeSuppression(
  query: Query,
  accountId: string,
  name: SuppressionName,
  now: Date,
): Promise<SuppressionRow | null> {
  const rows =
    'id' in name
      ? await remove.id(query, { accountId, name: name.id, now })
      : await remove.email(query, { accountId, name: name.email, now });
  return rows[0] ?? null;
}

const removeExpired = defineStatement({ now: value<Date>() }, ({ now }) =>
  builder.delete(suppressions).where(lte(suppressions.expiresAt, now)),
);

/** Removes the expired entries of all accounts, which no longer have any effect and are not shown. */
export async function removeExpiredSuppressions(query: Query, now: Date): Promise<void> {
  await removeExpired(query, { now });
}

const FILTER = {
  accountId: suppressions.accountId,
  now: value<Date>(),
  /** The whole address, folded. */
  email: optional(suppressions.email),
  /** A part of the address, folded. */
  part: optional(suppressions.email),
  reason: optional(suppressions.reason),
};

function matches({ accountId, now, email, part, reason }: GivenOf<typeof FILTER>) {
  return and(
    eq(suppressions.accountId, accountId),
    counts(now),
    email && eq(suppressions.email, email),
    part && sql`strpos(${suppressions.email}, ${part}) > 0`,
    reason && eq(suppressions.reason, reason),
  );
}

/** One page of the active entries, newest first. */
export const listSuppressions = defineStatement(
  { ...FILTER, before: optional(suppressions.id), limit: value<number>() },
  ({ before, limit, ...filter }) =>
    builder
      .select(named(shown))
      .from(suppressions)
      .where(and(matches(filter), before && lt(suppressions.id, before)))
      .orderBy(desc(suppressions.id))
      .limit(limit),
);

/** Counts matches, but never past `cap`. */
export const countSuppressions = asCount(
  defineStatement({ ...FILTER, cap: value<number>() }, ({ cap, ...filter }) =>
    countUpTo(cap, sql`SELECT FROM ${suppressions} WHERE ${matches(filter)}`),
  ),
);

/** An expired entry counts as deleted. */
function counts(now: Date | SQL<Date>) {
  return sql`is_suppressing(${suppressions.expiresAt}, ${now})`;
}
