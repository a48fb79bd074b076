import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, gt, isNull, sql } from '../drizzle.ts';
import { executing } from '../result.ts';
import { oauthRecords } from '../schema/oauth.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const NAME = { kind: oauthRecords.kind, idHash: oauthRecords.idHash };

const write = defineStatement(
  {
    ...{ ...NAME, payload: value<string>(), accountId: value<string | null>() },
    keyId: value<string | null>(),
    ...{ now: oauthRecords.createdAt, expiresAt: oauthRecords.expiresAt },
  },
  ({ kind, idHash, payload, accountId, keyId, now, expiresAt }) =>
    executing(sql`
      INSERT INTO oauth_records (kind, id_hash, payload, account_id, key_id, created_at, expires_at)
      VALUES (${kind}, ${idHash}, ${payload}::text::jsonb, ${accountId}::uuid, ${keyId}::uuid, ${now}, ${expiresAt})
      ON CONFLICT (kind, id_hash) DO UPDATE SET payload = excluded.payload, expires_at = greatest(oauth_records.expires_at, excluded.expires_at)`),
);

/** Stores a record, or replaces the payload of the one with its id, whose expiry never moves back. `payload` is JSON. */
export async function writeOAuthRecord(query: Query, record: Parameters<typeof write>[1]): Promise<void> {
  await write(query, record);
}

const find = defineStatement({ ...NAME, now: value<Date>() }, ({ kind, idHash, now }) =>
  builder
    .select(
      named({
        ...{ payload: oauthRecords.payload },
        ...{ consumedAt: oauthRecords.consumedAt, expiresAt: oauthRecords.expiresAt },
      }),
    )
    .from(oauthRecords)
    .where(and(eq(oauthRecords.kind, kind), eq(oauthRecords.idHash, idHash), gt(oauthRecords.expiresAt, now))),
);

/** An unexpired record; null if there is none. */
export async function findOAuthRecord(
  query: Query,
  record: Parameters<typeof find>[1],
): Promise<RowOf<typeof find> | null> {
  const [row] = await find(query, record);
  return row ?? null;
}

const consume = defineStatement({ ...NAME, now: oauthRecords.createdAt }, ({ kind, idHash, now }) =>
  builder
    .update(oauthRecords)
    .set({ consumedAt: sql`${now}::timestamptz` })
    .where(and(eq(oauthRecords.kind, kind), eq(oauthRecords.idHash, idHash), isNull(oauthRecords.consumedAt)))
    .returning(named({ kind: oauthRecords.kind })),
);

/** Marks a code or token as used; false if it already was, so that of two concurrent uses one is refused. */
export async function consumeOAuthRecord(query: Query, record: Parameters<typeof consume>[1]): Promise<boolean> {
  return (await consume(query, record)).length > 0;
}

const remove = defineStatement(NAME, ({ kind, idHash }) =>
  builder.delete(oauthRecords).where(and(eq(oauthRecords.kind, kind), eq(oauthRecords.idHash, idHash))),
);

export async function deleteOAuthRecord(query: Query, record: Parameters<typeof remove>[1]): Promise<void> {
  await remove(query, record);
}

const release = defineStatement(NAME, ({ kind, idHash }) =>
  builder
    .update(oauthRecords)
    .set({ consumedAt: sql`NULL` })
    .where(and(eq(oauthRecords.kind, kind), eq(oauthRecords.idHash, idHash))),
);

/** Makes a record that was marked as used usable again. */
export async function releaseOAuthRecord(query: Query, record: Parameters<typeof release>[1]): Promise<void> {
  await release(query, record);
}

const removeOfKey = defineStatement({ accountId: value<string>(), keyId: value<string>() }, ({ accountId, keyId }) =>
  builder.delete(oauthRecords).where(and(eq(oauthRecords.accountId, accountId), eq(oauthRecords.keyId, keyId))),
);

/** Deletes the codes and refresh tokens of a key. */
export async function deleteOAuthRecordsOf(query: Query, key: Parameters<typeof removeOfKey>[1]): Promise<void> {
  await removeOfKey(query, key);
}

const extend = defineStatement({ ...NAME, expiresAt: oauthRecords.expiresAt }, ({ kind, idHash, expiresAt }) =>
  builder
    .update(oauthRecords)
    .set({ expiresAt: sql`greatest(${oauthRecords.expiresAt}, ${expiresAt}::timestamptz)` })
    .where(and(eq(oauthRecords.kind, kind), eq(oauthRecords.idHash, idHash))),
);

/** Keeps a record until this time at least. */
export async function extendOAuthRecord(query: Query, record: Parameters<typeof extend>[1]): Promise<void> {
  await extend(query, record);
}

const trim = defineStatement(
  { kind: oauthRecords.kind, before: oauthRecords.expiresAt, most: value<number>() },
  ({ kind, before, most }) =>
    executing(sql`
      DELETE FROM oauth_records WHERE kind = ${kind} AND expires_at <= (
        SELECT expires_at FROM oauth_records WHERE kind = ${kind} AND expires_at <= ${before}
        ORDER BY expires_at DESC OFFSET ${most} LIMIT 1)`),
);

/** Of the records of a kind that expire by a time, keeps the `most` that expire last. */
export async function trimOAuthRecords(query: Query, records: Parameters<typeof trim>[1]): Promise<void> {
  await trim(query, records);
}

const purge = defineStatement({ now: value<Date>() }, ({ now }) =>
  executing(sql`
    DELETE FROM oauth_records
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM oauth_records WHERE expires_at <= ${now} LIMIT 10000))`),
);

/** Deletes expired records. */
export async function purgeOAuthRecords(query: Query, now: Date): Promise<void> {
  await purge(query, { now });
}
