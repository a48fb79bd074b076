import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { executing, present, returning } from '../result.ts';
import { apiKeys, keySends, retiredKeySecrets } from '../schema/keys.ts';
import { defineStatement, type GivenOf, type RowOf, value } from '../statement.ts';
import { type KeyRestrictions, keyRestrictions } from './api-keys.ts';

export type NewKeyRow = Readonly<
  Pick<typeof apiKeys.$inferSelect, 'accountId' | 'id' | 'name' | 'last4' | 'makers' | 'createdByMember'>
> &
  Partial<Readonly<Pick<typeof apiKeys.$inferSelect, 'clientId' | 'clientName'>>> & {
    readonly hash: Buffer;
    readonly restrictions: KeyRestrictions;
    readonly now: Date;
  };

const { mode, ...changeable } = keyRestrictions;
const CHANGEABLE = { ...changeable, holdWhen: value<string | null>() };

const insert = defineStatement(
  {
    ...{ accountId: apiKeys.accountId, id: apiKeys.id, name: apiKeys.name, mode, hash: apiKeys.secretHash },
    ...{ last4: apiKeys.last4, createdByKey: apiKeys.createdByKey, makers: apiKeys.makers, ...CHANGEABLE },
    ...{ createdByMember: apiKeys.createdByMember, heldSince: apiKeys.heldSince, now: apiKeys.createdAt },
    ...{ clientId: apiKeys.clientId, clientName: apiKeys.clientName },
  },
  ({ hash, holdWhen, now, ...key }) =>
    builder
      .insert(apiKeys)
      .values({ ...key, secretHash: hash, holdWhen: sql`${holdWhen}::text::jsonb`, createdAt: now }),
);

export async function insertKey(
  query: Query,
  { restrictions, clientId = null, clientName = null, ...key }: NewKeyRow,
): Promise<void> {
  const heldSince = restrictions.approvalMode === 'off' ? null : key.now;
  const createdByKey = key.makers[0] ?? null;
  const holdWhen = toJson(restrictions.holdWhen);
  await insert(query, { ...key, ...restrictions, holdWhen, createdByKey, heldSince, clientId, clientName });
}

export interface KeyName {
  readonly accountId: string;
  readonly keyId: string;
}

const NAME = { accountId: apiKeys.accountId, keyId: apiKeys.id };

function isNamed({ accountId, keyId }: GivenOf<typeof NAME>) {
  return and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId));
}

const rewrite = defineStatement(
  { ...NAME, name: apiKeys.name, ...CHANGEABLE, now: apiKeys.heldSince },
  ({ accountId, keyId, now, holdWhen, ...given }) => {
    const isSameEnd = sql`${apiKeys.expiresAt} IS NOT DISTINCT FROM ${given.expiresAt}::timestamptz`;
    return builder
      .update(apiKeys)
      .set({
        ...given,
        holdWhen: sql`${holdWhen}::text::jsonb`,
        expiryToldAt: sql`CASE WHEN ${isSameEnd} THEN ${apiKeys.expiryToldAt} END`,
        heldSince: sql`CASE WHEN ${given.approvalMode}::text = 'off' THEN NULL
          WHEN ${apiKeys.approvalMode} = 'off' THEN ${now}::timestamptz ELSE ${apiKeys.heldSince} END`,
      })
      .where(isNamed({ accountId, keyId }));
  },
);

/** Writes the key's name and all its restrictions; the mode does not change. A new expiry is announced again. */
export async function rewriteKey(
  query: Query,
  { accountId, keyId }: KeyName,
  name: string,
  restrictions: KeyRestrictions,
  now: Date,
): Promise<void> {
  const holdWhen = toJson(restrictions.holdWhen);
  await rewrite(query, { accountId, keyId, name, ...restrictions, holdWhen, now });
}

const revoke = defineStatement({ ...NAME, at: apiKeys.revokedAt }, ({ at, ...name }) =>
  builder.update(apiKeys).set({ revokedAt: at }).where(isNamed(name)),
);

export async function markRevoked(query: Query, { accountId, keyId }: KeyName, at: Date): Promise<void> {
  await revoke(query, { accountId, keyId, at });
}

const endRetired = defineStatement({ ...NAME, endsAt: retiredKeySecrets.endsAt }, ({ accountId, keyId, endsAt }) =>
  builder
    .update(retiredKeySecrets)
    .set({ endsAt: sql`least(${retiredKeySecrets.endsAt}, ${endsAt})` })
    .where(and(eq(retiredKeySecrets.accountId, accountId), eq(retiredKeySecrets.keyId, keyId))),
);

const retire = defineStatement({ ...NAME, endsAt: retiredKeySecrets.endsAt }, ({ accountId, keyId, endsAt }) =>
  executing(sql`
    INSERT INTO retired_key_secrets (account_id, key_id, secret_hash, last4, ends_at)
    SELECT account_id, id, secret_hash, last4, ${endsAt}::timestamptz FROM api_keys
    WHERE account_id = ${accountId} AND id = ${keyId}`),
);

const setSecret = defineStatement(
  { ...NAME, hash: apiKeys.secretHash, last4: apiKeys.last4 },
  ({ hash, last4, ...name }) => builder.update(apiKeys).set({ secretHash: hash, last4 }).where(isNamed(name)),
);

/** Gives a key a new secret. All previous secrets expire at `oldEndsAt` or at their earlier expiry. */
export async function replaceSecret(
  query: Query,
  { accountId, keyId }: KeyName,
  { hash, last4 }: { readonly hash: Buffer; readonly last4: string },
  oldEndsAt: Date,
): Promise<void> {
  await endRetired(query, { accountId, keyId, endsAt: oldEndsAt });
  await retire(query, { accountId, keyId, endsAt: oldEndsAt });
  await setSecret(query, { accountId, keyId, hash, last4 });
}

const claimExpiring = defineStatement({ now: value<Date>(), before: value<Date>() }, ({ now, before }) =>
  returning(
    {
      ...{ accountId: apiKeys.accountId, keyId: apiKeys.id, keyName: apiKeys.name, last4: apiKeys.last4 },
      expiresAt: present(apiKeys.expiresAt),
    },
    sql`
      UPDATE api_keys SET expiry_told_at = ${now}
      WHERE expires_at > ${now} AND expires_at <= ${before} AND expiry_told_at IS NULL AND revoked_at IS NULL
      RETURNING account_id AS "accountId", id AS "keyId", name AS "keyName", last4, expires_at AS "expiresAt"`,
  ),
);

/** A key that expires soon. */
export type ExpiringKey = RowOf<typeof claimExpiring>;

/** Claims keys that expire by `before` and have not expired, been revoked or been announced; marks them as announced. */
export async function claimExpiringKeys(
  query: Query,
  { now, before }: { readonly now: Date; readonly before: Date },
): Promise<readonly ExpiringKey[]> {
  return await claimExpiring(query, { now, before });
}

const readSends = defineStatement(
  { ...NAME, hour: keySends.startsAt, day: keySends.startsAt },
  ({ accountId, keyId, hour, day }) =>
    builder
      .select(named({ period: keySends.period, sends: keySends.sends }))
      .from(keySends)
      .where(
        and(
          eq(keySends.accountId, accountId),
          eq(keySends.keyId, keyId),
          sql`${keySends.startsAt} >= CASE ${keySends.period} WHEN 'hour' THEN ${hour}::timestamptz ELSE ${day}::timestamptz END`,
        ),
      ),
);

export type SentCounts = Readonly<Record<'hour' | 'day', number>>;

/** How many messages a key has sent in the hour and the day that began at these times. */
export async function readSentCounts(
  query: Query,
  { accountId, keyId }: KeyName,
  { hour, day }: { readonly hour: Date; readonly day: Date },
): Promise<SentCounts> {
  const rows = await readSends(query, { accountId, keyId, hour, day });
  const of = (period: 'hour' | 'day') => rows.find((row) => row.period === period)?.sends ?? 0;
  return { hour: of('hour'), day: of('day') };
}

function toJson(holdWhen: KeyRestrictions['holdWhen']): string | null {
  return holdWhen === null ? null : JSON.stringify(holdWhen);
}
