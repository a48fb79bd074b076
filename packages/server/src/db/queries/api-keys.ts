import type { Role, Scope } from '@postrider/core';
import { builder, named } from '../builder.ts';
import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { alias, and, desc, eq, gt, isNotNull, isNull, lt, not, or, sql } from '../drizzle.ts';
import { arraysOf, columnNames, type RecordOf, toArrays, unnested } from '../record-columns.ts';
import { executing } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { apiKeys, retiredKeySecrets } from '../schema/keys.ts';
import { accessTokens } from '../schema/oauth.ts';
import { members } from '../schema/users.ts';
import { defineStatement, optional, type RowOf, value } from '../statement.ts';

/** A key's restrictions. Null or false means that there is none. */
export const keyRestrictions = {
  mode: apiKeys.mode,
  scopes: apiKeys.scopes,
  /** Requests per minute. */
  rateLimit: apiKeys.rateLimit,
  recipientAllowlist: apiKeys.recipientAllowlist,
  /** CIDR blocks, each a whole network. */
  ipAllowlist: apiKeys.ipAllowlist,
  /**
   * Hosts that attachments may be fetched from, such as `files.example.com` or `*.example.com`. Null applies the default for the kind of
   * key.
   */
  attachmentHosts: apiKeys.attachmentHosts,
  expiresAt: apiKeys.expiresAt,
  approvalMode: apiKeys.approvalMode,
  holdWhen: apiKeys.holdWhen,
  approvalsNeedPasskey: apiKeys.approvalsNeedPasskey,
  /** How many people must approve what the key sends. */
  approvalsNeeded: apiKeys.approvalsNeeded,
  /** The members who can approve what the key sends; null for every member whose role decides. */
  approverIds: apiKeys.approverIds,
  personaSource: apiKeys.personaSource,
  personaAgentName: apiKeys.personaAgentName,
  lockPersona: apiKeys.lockPersona,
  /** Messages per hour and per UTC day. */
  hourlySends: apiKeys.hourlySends,
  dailySends: apiKeys.dailySends,
};

export type KeyRestrictions = Readonly<Pick<typeof apiKeys.$inferSelect, keyof typeof keyRestrictions>>;

/** The send limit of a key that created another key. */
type MakerLimit = Readonly<Pick<typeof apiKeys.$inferSelect, 'hourlySends' | 'dailySends'>> & {
  readonly keyId: string;
};

const makers = alias(apiKeys, 'makers');

const makerLimits = builder
  .select({
    limits: sql`coalesce(json_agg(json_build_object(
      'keyId', ${makers.id}, 'hourlySends', ${makers.hourlySends}, 'dailySends', ${makers.dailySends})), '[]')`,
  })
  .from(makers)
  .where(
    and(
      eq(makers.accountId, apiKeys.accountId),
      sql`${makers.id} = ANY (${apiKeys.makers})`,
      sql`(${makers.hourlySends} IS NOT NULL OR ${makers.dailySends} IS NOT NULL)`,
    ),
  );

const grantors = alias(members, 'grantors');

const isGrantor = and(eq(grantors.accountId, apiKeys.accountId), eq(grantors.id, apiKeys.createdByMember));
const grantorRole = builder.select({ role: grantors.role }).from(grantors).where(isGrantor);
const grantorEmail = builder.select({ email: grantors.email }).from(grantors).where(isGrantor);

const { scopes: storedScopes, ...restrictions } = keyRestrictions;

const keyColumns = {
  accountId: apiKeys.accountId,
  keyId: apiKeys.id,
  keyName: apiKeys.name,
  last4: apiKeys.last4,
  ...restrictions,
  /** Not all of them may be usable: `usableScopes` says which are. */
  storedScopes,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  revokedAt: apiKeys.revokedAt,
  pausedAt: apiKeys.pausedAt,
  /** The user who created the key; null if unknown. */
  createdByMember: apiKeys.createdByMember,
  /** The program that signed in with OAuth and uses the key by access tokens; null for a key with a secret. */
  clientId: apiKeys.clientId,
  /** The name that the program reported. */
  clientName: apiKeys.clientName,
  /** The number of the program's present sign-in. */
  signIn: apiKeys.signIn,
  /** For the key of such a program, the role of the user who signed in; null if they are not in the team any more. */
  grantorRole: sql<Role | null>`CASE WHEN ${apiKeys.clientId} IS NOT NULL THEN ${grantorRole} END`,
  /** The address of that user; null if they are not in the team any more. */
  grantorEmail: sql<string | null>`CASE WHEN ${apiKeys.clientId} IS NOT NULL THEN ${grantorEmail} END`,
  /** Whether the key belongs to a member's seat. No one knows the secret of such a key, and key operations ignore it. */
  isSeat: apiKeys.isSeat,
  /** Incremented whenever the key's restrictions or its secret change. */
  version: apiKeys.version,
  /** The chain of keys that created this key, the direct creator first; empty if a user or an operator created it. */
  makers: apiKeys.makers,
  /** Those creators that have send limits: what this key sends counts against their limits too. */
  makerLimits: sql<readonly MakerLimit[]>`CASE WHEN ${apiKeys.makers} = '{}' THEN '[]'::json ELSE ${makerLimits} END`,
};

/** A key with its account. */
export const callerColumns = {
  ...keyColumns,
  accountName: accounts.name,
  trackOpens: accounts.trackOpens,
  trackClicks: accounts.trackClicks,
  accountPausedAt: accounts.pausedAt,
  /** When the secret that was used expires because it was replaced, or when the access token expires; null for the current secret. */
  secretEndsAt: sql<Date | null>`NULL::timestamptz`,
  /** The scopes of the access token that was used; null for a secret. */
  tokenScopes: sql<readonly Scope[] | null>`NULL::text[]`,
};

const ofAccount = eq(accounts.id, apiKeys.accountId);

const findByHash = defineStatement({ hash: apiKeys.secretHash }, ({ hash }) => {
  const present = builder
    .select(named(callerColumns))
    .from(apiKeys)
    .innerJoin(accounts, ofAccount)
    .where(eq(apiKeys.secretHash, hash));
  const retired = builder
    .select(named({ ...callerColumns, secretEndsAt: sql<Date | null>`${retiredKeySecrets.endsAt}` }))
    .from(retiredKeySecrets)
    .innerJoin(
      apiKeys,
      and(eq(apiKeys.accountId, retiredKeySecrets.accountId), eq(apiKeys.id, retiredKeySecrets.keyId)),
    )
    .innerJoin(accounts, ofAccount)
    .where(eq(retiredKeySecrets.secretHash, hash));
  const tokens = builder
    .select(
      named({
        ...callerColumns,
        secretEndsAt: sql<Date | null>`${accessTokens.endsAt}`,
        tokenScopes: sql<readonly Scope[] | null>`${accessTokens.scopes}`,
      }),
    )
    .from(accessTokens)
    .innerJoin(apiKeys, and(eq(apiKeys.accountId, accessTokens.accountId), eq(apiKeys.id, accessTokens.keyId)))
    .innerJoin(accounts, ofAccount)
    .where(eq(accessTokens.tokenHash, hash));
  return present.unionAll(retired).unionAll(tokens);
});

export type ApiKeyRow = RowOf<typeof findByHash>;

/**
 * Finds a key, with its account, by the hash of a secret or access token; null if the hash is unknown. Also finds revoked and expired keys,
 * and replaced secrets.
 */
export async function findKeyByHash(query: Query, hash: Buffer): Promise<ApiKeyRow | null> {
  const [row] = await findByHash(query, { hash });
  return row ?? null;
}

const ONE = { accountId: apiKeys.accountId, id: apiKeys.id };

const findById = defineStatement(ONE, ({ accountId, id }) =>
  builder
    .select(named(callerColumns))
    .from(apiKeys)
    .innerJoin(accounts, ofAccount)
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, id))),
);

/** Finds a key by its id; null if the account has no such key. Also finds revoked and expired keys, and the keys of seats. */
export async function findKeyById(query: Query, accountId: string, id: string): Promise<ApiKeyRow | null> {
  const [row] = await findById(query, { accountId, id });
  return row ?? null;
}

const KEY = { accountId: apiKeys.accountId, keyId: apiKeys.id };

type KeyName = RecordOf<typeof KEY>;

const findJudging = defineStatement(arraysOf(KEY), (keys) => {
  const role = builder
    .select({ role: members.role })
    .from(members)
    .where(and(apiKeys.isSeat, eq(members.accountId, apiKeys.accountId), eq(members.id, apiKeys.id)));
  /** The role of the member whose seat the key is; null for all other keys. */
  const seatRole = sql<Role | null>`${role}`;
  return builder
    .select(named({ ...callerColumns, seatRole }))
    .from(apiKeys)
    .innerJoin(accounts, ofAccount)
    .where(sql`(${apiKeys.accountId}, ${apiKeys.id}) IN (SELECT * FROM ${unnested(KEY, keys)})`);
});

/** What the acceptance rules need to know about a key. */
export type JudgingKeyRow = RowOf<typeof findJudging>;

/** Finds several keys by their ids, with the roles of seats. */
export async function findJudgingKeys(query: Query, keys: readonly KeyName[]): Promise<readonly JudgingKeyRow[]> {
  return await findJudging(query, toArrays(KEY, keys));
}

const lock = defineStatement(ONE, ({ accountId, id }) =>
  builder
    .select(named(keyColumns))
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, id), not(apiKeys.isSeat)))
    .for('update'),
);

export type KeyRow = RowOf<typeof lock>;

/** Locks a key's row until the end of the transaction; null if the account has no such key. */
export async function lockKey(transaction: Query, accountId: string, id: string): Promise<KeyRow | null> {
  const [row] = await lock(transaction, { accountId, id });
  return row ?? null;
}

/** Lists an account's keys, newest first; with `before`, only those older than that key. */
export const listKeys = defineStatement(
  { accountId: apiKeys.accountId, before: optional(apiKeys.id), limit: value<number>() },
  ({ accountId, before, limit }) =>
    builder
      .select(named(keyColumns))
      .from(apiKeys)
      .where(and(eq(apiKeys.accountId, accountId), not(apiKeys.isSeat), before && lt(apiKeys.id, before)))
      .orderBy(desc(apiKeys.id))
      .limit(limit),
);

/** Whether the program of a key has a token, or can get one without its user. */
const hasToken = (now: unknown) => sql<boolean>`(
  EXISTS (SELECT FROM access_tokens t
    WHERE t.account_id = api_keys.account_id AND t.key_id = api_keys.id AND t.ends_at > ${now}::timestamptz)
  OR EXISTS (SELECT FROM oauth_records r
    WHERE r.account_id = api_keys.account_id AND r.key_id = api_keys.id AND r.kind = 'RefreshToken'
      AND r.consumed_at IS NULL AND r.expires_at > ${now}::timestamptz))`;

const listOfPrograms = defineStatement(
  { accountId: apiKeys.accountId, memberId: members.id, now: value<Date>(), limit: value<number>() },
  ({ accountId, memberId, now, limit }) =>
    builder
      .select(named({ ...keyColumns, isConnected: hasToken(now), total: sql<number>`count(*) OVER ()::int` }))
      .from(apiKeys)
      .where(
        and(
          ...[eq(apiKeys.accountId, accountId), eq(apiKeys.createdByMember, memberId), isNotNull(apiKeys.clientId)],
          isNull(apiKeys.revokedAt),
          or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`${now}::timestamptz`)),
        ),
      )
      .orderBy(desc(apiKeys.id))
      .limit(limit),
);

type ProgramRow = RowOf<typeof listOfPrograms>;

/** The keys of the programs that a member allowed and that still have access, newest first, and their total number. */
export async function listProgramKeys(
  query: Query,
  of: Parameters<typeof listOfPrograms>[1],
): Promise<{ readonly rows: readonly ProgramRow[]; readonly total: number }> {
  const rows = await listOfPrograms(query, of);
  return { rows, total: rows[0]?.total ?? 0 };
}

/** Stops counting at `cap`. */
export const countKeys = asCount(
  defineStatement({ accountId: apiKeys.accountId, cap: value<number>() }, ({ accountId, cap }) =>
    countUpTo(cap, sql`SELECT FROM api_keys WHERE account_id = ${accountId} AND NOT is_seat`),
  ),
);

const touch = defineStatement({ ...arraysOf(KEY), now: value<Date>() }, ({ now, ...keys }) =>
  executing(sql`
    UPDATE api_keys k SET last_used_at = ${now}
    FROM ${unnested(KEY, keys)} AS u (${columnNames(KEY)})
    WHERE k.account_id = u."accountId" AND k.id = u."keyId"`),
);

export async function touchKeys(query: Query, keys: readonly KeyName[], now: Date): Promise<void> {
  await touch(query, { ...toArrays(KEY, keys), now });
}

/** The usable keys that a user let a program sign in with, last used first, at most five. */
export const listClientKeys = defineStatement(
  { accountId: apiKeys.accountId, memberId: members.id, clientId: value<string>(), now: value<Date>() },
  ({ accountId, memberId, clientId, now }) =>
    builder
      .select(named(keyColumns))
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.accountId, accountId),
          eq(apiKeys.createdByMember, memberId),
          eq(apiKeys.clientId, clientId),
          isNull(apiKeys.revokedAt),
          sql`(${apiKeys.expiresAt} IS NULL OR ${apiKeys.expiresAt} > ${now}::timestamptz)`,
        ),
      )
      .orderBy(desc(sql`coalesce(${apiKeys.lastUsedAt}, ${apiKeys.createdAt})`))
      .limit(5),
);
