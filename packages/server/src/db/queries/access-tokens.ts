import type { Scope } from '@postrider/core';
import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, gt, isNotNull, isNull, or, sql } from '../drizzle.ts';
import { arrayOf } from '../record-columns.ts';
import { executing, pg } from '../result.ts';
import { apiKeys } from '../schema/keys.ts';
import { accessTokens } from '../schema/oauth.ts';
import { members } from '../schema/users.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { isActive } from './users.ts';

const KEY = { accountId: accessTokens.accountId, keyId: accessTokens.keyId };

const insert = defineStatement(
  {
    ...{ ...KEY, tokenHash: accessTokens.tokenHash, scopes: value<readonly Scope[]>(), signIn: apiKeys.signIn },
    ...{ now: accessTokens.createdAt, endsAt: accessTokens.endsAt },
  },
  ({ accountId, keyId, signIn, tokenHash, scopes, now, endsAt }) =>
    executing(sql`
      INSERT INTO access_tokens (account_id, key_id, token_hash, scopes, created_at, ends_at)
      SELECT account_id, id, ${tokenHash}, ${arrayOf(pg.text, scopes)}, ${now}, ${endsAt} FROM api_keys
      WHERE account_id = ${accountId} AND id = ${keyId} AND sign_in = ${signIn} FOR SHARE`),
);

const endOthers = defineStatement({ ...KEY, endsAt: accessTokens.endsAt }, ({ accountId, keyId, endsAt }) =>
  builder
    .update(accessTokens)
    .set({ endsAt: sql`least(${accessTokens.endsAt}, ${endsAt}::timestamptz)` })
    .where(and(eq(accessTokens.accountId, accountId), eq(accessTokens.keyId, keyId))),
);

/** Stores an access token of a sign-in, unless another sign-in has begun. The former tokens end at `formerEndsAt` at the latest. */
export async function insertAccessToken(
  query: Query,
  { formerEndsAt, ...token }: Parameters<typeof insert>[1] & { readonly formerEndsAt: Date },
): Promise<void> {
  await endOthers(query, { accountId: token.accountId, keyId: token.keyId, endsAt: formerEndsAt });
  await insert(query, token);
}

const find = defineStatement({ tokenHash: accessTokens.tokenHash, now: value<Date>() }, ({ tokenHash, now }) =>
  builder
    .select(
      named({
        ...{ accountId: accessTokens.accountId, keyId: accessTokens.keyId, scopes: accessTokens.scopes },
        ...{ createdAt: accessTokens.createdAt, endsAt: accessTokens.endsAt },
        ...{ clientId: apiKeys.clientId, signIn: apiKeys.signIn },
      }),
    )
    .from(accessTokens)
    .innerJoin(apiKeys, and(eq(apiKeys.accountId, accessTokens.accountId), eq(apiKeys.id, accessTokens.keyId)))
    .where(and(eq(accessTokens.tokenHash, tokenHash), gt(accessTokens.endsAt, now))),
);

/** An access token that has not expired; null if there is none. */
export async function findAccessToken(
  query: Query,
  token: Parameters<typeof find>[1],
): Promise<RowOf<typeof find> | null> {
  const [row] = await find(query, token);
  return row ?? null;
}

const remove = defineStatement({ tokenHash: accessTokens.tokenHash }, ({ tokenHash }) =>
  builder.delete(accessTokens).where(eq(accessTokens.tokenHash, tokenHash)),
);

export async function deleteAccessToken(query: Query, tokenHash: Buffer): Promise<void> {
  await remove(query, { tokenHash });
}

const removeOfKey = defineStatement(KEY, ({ accountId, keyId }) =>
  builder.delete(accessTokens).where(and(eq(accessTokens.accountId, accountId), eq(accessTokens.keyId, keyId))),
);

const purge = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`
    DELETE FROM access_tokens
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM access_tokens WHERE ends_at <= ${before} LIMIT 10000))`),
);

/** Deletes access tokens that ended before this time. */
export async function purgeAccessTokens(query: Query, before: Date): Promise<void> {
  await purge(query, { before });
}

/** A key that a program may use: neither revoked nor expired. */
const isUsable = (now: ReturnType<typeof sql>) =>
  and(
    isNotNull(apiKeys.clientId),
    isNull(apiKeys.revokedAt),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
  );

const GRANT = {
  ...{ accountId: apiKeys.accountId, keyId: apiKeys.id, clientId: apiKeys.clientId, storedScopes: apiKeys.scopes },
  ...{ grantorRole: members.role, createdAt: apiKeys.createdAt, expiresAt: apiKeys.expiresAt, signIn: apiKeys.signIn },
};

const findGrant = defineStatement(
  { accountId: apiKeys.accountId, keyId: apiKeys.id, now: value<Date>() },
  ({ accountId, keyId, now }) =>
    builder
      .select(named(GRANT))
      .from(apiKeys)
      .innerJoin(
        members,
        and(eq(members.accountId, apiKeys.accountId), eq(members.id, apiKeys.createdByMember), isActive),
      )
      .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId), isUsable(sql`${now}::timestamptz`))),
);

/** The grant of a program that signed in: its key with the role of its user; null unless the key can be used now. */
export async function findClientGrant(
  query: Query,
  key: Parameters<typeof findGrant>[1],
): Promise<RowOf<typeof findGrant> | null> {
  const [row] = await findGrant(query, key);
  return row ?? null;
}

const begin = defineStatement({ accountId: apiKeys.accountId, keyId: apiKeys.id }, ({ accountId, keyId }) =>
  builder
    .update(apiKeys)
    .set({ signIn: sql`${apiKeys.signIn} + 1` })
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId)))
    .returning(named({ signIn: apiKeys.signIn })),
);

/** Begins another sign-in for a key, or ends the present one: all its tokens and codes become invalid. Returns the new number. */
export async function renewSignIn(transaction: Query, key: Parameters<typeof begin>[1]): Promise<number> {
  const [row] = await begin(transaction, key);
  await removeOfKey(transaction, key);
  return row?.signIn ?? 0;
}

const listOfMember = defineStatement(
  { accountId: apiKeys.accountId, memberId: members.id },
  ({ accountId, memberId }) =>
    builder
      .select(named({ keyId: apiKeys.id }))
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.accountId, accountId),
          eq(apiKeys.createdByMember, memberId),
          isNotNull(apiKeys.clientId),
          isNull(apiKeys.revokedAt),
        ),
      ),
);

/** The keys of programs that signed in as a user, except revoked ones. */
export async function listClientKeysOf(query: Query, accountId: string, memberId: string): Promise<readonly string[]> {
  return (await listOfMember(query, { accountId, memberId })).map(({ keyId }) => keyId);
}
