import type { ApprovalMode, HoldWhen, KeyMode, Role, Scope, Source } from '@postrider/core';
import type { Query } from '../client.ts';

/** What restricts a key; null and false where nothing does. */
export interface KeyRestrictions {
  readonly mode: KeyMode;
  readonly scopes: readonly Scope[];
  /** Requests a minute. */
  readonly rateLimit: number;
  readonly recipientAllowlist: readonly string[] | null;
  /** CIDR, each a whole network. */
  readonly ipAllowlist: readonly string[] | null;
  /** Host names, or `*.example.com`, that attachments may be fetched from; null leaves it to the kind of key. */
  readonly attachmentHosts: readonly string[] | null;
  readonly expiresAt: Date | null;
  readonly approvalMode: ApprovalMode;
  readonly holdWhen: HoldWhen | null;
  readonly personaSource: Source | null;
  readonly personaAgentName: string | null;
  readonly lockPersona: boolean;
  /** Messages in an hour and on a day of UTC. */
  readonly hourlySends: number | null;
  readonly dailySends: number | null;
}

/** A stored key. */
export interface KeyRow extends KeyRestrictions {
  readonly accountId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly last4: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly pausedAt: Date | null;
  /** The person behind the key; null where nobody knows. */
  readonly createdByMember: string | null;
  /** Whether it is the key of a member's seat, which nobody has the secret of and no key operation knows. */
  readonly isSeat: boolean;
  /** Counts the changes of what restricts the key, and of its secret. */
  readonly version: number;
  /** The keys it was made by, its own maker first; none where a user or an operator made it. */
  readonly makers: readonly string[];
  /** Those of them that may send only so many messages: what this key sends counts as theirs. */
  readonly makerLimits: readonly MakerLimit[];
}

/** The send limit of a key that made another one. */
export interface MakerLimit {
  readonly keyId: string;
  readonly hourlySends: number | null;
  readonly dailySends: number | null;
}

/** A stored key with the account it belongs to. */
export interface ApiKeyRow extends KeyRow {
  readonly accountName: string;
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
  readonly accountPausedAt: Date | null;
  /** When the secret that was shown ends, because another has taken its place; null for the present one. */
  readonly secretEndsAt: Date | null;
}

/** The key of a hash with its account; null where none is known. Revoked and expired keys are found too, and those of earlier secrets. */
export async function findKeyByHash(query: Query, hash: Uint8Array): Promise<ApiKeyRow | null> {
  const [row] = await query<ApiKeyRow[]>`
    SELECT ${callerColumns(query)}, NULL::timestamptz AS "secretEndsAt"
    FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.secret_hash = ${hash}
    UNION ALL
    SELECT ${callerColumns(query)}, r.ends_at
    FROM retired_key_secrets r JOIN api_keys k ON k.account_id = r.account_id AND k.id = r.key_id JOIN accounts a ON a.id = k.account_id
    WHERE r.secret_hash = ${hash}`;
  return row ?? null;
}

/** A key by its id; null where the account has none of that id. Revoked and expired keys are found too, and those of seats. */
export async function findKeyById(query: Query, accountId: string, id: string): Promise<ApiKeyRow | null> {
  const [row] = await query<ApiKeyRow[]>`
    SELECT ${callerColumns(query)}, NULL::timestamptz AS "secretEndsAt"
    FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.account_id = ${accountId} AND k.id = ${id}`;
  return row ?? null;
}

/** A key as a send is judged by it. */
export interface JudgingKeyRow extends ApiKeyRow {
  /** Of the member whose seat it is; null for every other key. */
  readonly seatRole: Role | null;
}

/** Several keys by their ids, with the roles of seats. */
export async function findJudgingKeys(
  query: Query,
  keys: readonly { readonly accountId: string; readonly keyId: string }[],
): Promise<readonly JudgingKeyRow[]> {
  return await query<JudgingKeyRow[]>`
    SELECT ${callerColumns(query)}, NULL::timestamptz AS "secretEndsAt",
      (SELECT m.role FROM members m WHERE k.is_seat AND m.account_id = k.account_id AND m.id = k.id) AS "seatRole"
    FROM api_keys k JOIN accounts a ON a.id = k.account_id
    WHERE (k.account_id, k.id) IN (
      SELECT * FROM unnest(${keys.map(({ accountId }) => accountId)}::uuid[], ${keys.map(({ keyId }) => keyId)}::uuid[]))`;
}

/** A key as it stands behind its lock, which is held to the end of the transaction; null where the account has none of that id. */
export async function lockKey(transaction: Query, accountId: string, id: string): Promise<KeyRow | null> {
  const [row] = await transaction<KeyRow[]>`
    SELECT ${keyColumns(transaction)} FROM api_keys k
    WHERE k.account_id = ${accountId} AND k.id = ${id} AND NOT k.is_seat FOR UPDATE`;
  return row ?? null;
}

/** Keys of an account, newest first, older than the one of id `before`. */
export async function listKeys(
  query: Query,
  { accountId, before, limit }: { readonly accountId: string; readonly before: string | null; readonly limit: number },
): Promise<readonly KeyRow[]> {
  return await query<KeyRow[]>`
    SELECT ${keyColumns(query)} FROM api_keys k
    WHERE k.account_id = ${accountId} AND NOT k.is_seat ${before === null ? query`` : query`AND k.id < ${before}`}
    ORDER BY k.id DESC LIMIT ${limit}`;
}

/** Counts no further than `cap`. */
export async function countKeys(query: Query, accountId: string, cap: number): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (SELECT FROM api_keys WHERE account_id = ${accountId} AND NOT is_seat LIMIT ${cap}) AS k`;
  return row?.count ?? 0;
}

/** Of the key `k` and its account `a`. */
export function callerColumns(query: Query) {
  return query`${keyColumns(query)}, a.name AS "accountName", a.track_opens AS "trackOpens", a.track_clicks AS "trackClicks",
    a.paused_at AS "accountPausedAt"`;
}

function keyColumns(query: Query) {
  return query`
    k.account_id AS "accountId", k.id AS "keyId", k.name AS "keyName", k.mode, k.last4, k.scopes, k.rate_limit AS "rateLimit",
    k.recipient_allowlist AS "recipientAllowlist", k.ip_allowlist AS "ipAllowlist", k.attachment_hosts AS "attachmentHosts", k.expires_at AS "expiresAt",
    k.approval_mode AS "approvalMode", k.hold_when AS "holdWhen", k.persona_source AS "personaSource",
    k.persona_agent_name AS "personaAgentName", k.lock_persona AS "lockPersona", k.hourly_sends AS "hourlySends",
    k.daily_sends AS "dailySends", k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt", k.revoked_at AS "revokedAt",
    k.paused_at AS "pausedAt", k.created_by_member AS "createdByMember", k.is_seat AS "isSeat", k.version, k.makers,
    CASE WHEN k.makers = '{}' THEN '[]'::json ELSE (
      SELECT coalesce(json_agg(json_build_object('keyId', x.id, 'hourlySends', x.hourly_sends, 'dailySends', x.daily_sends)), '[]')
      FROM api_keys x WHERE x.account_id = k.account_id AND x.id = ANY (k.makers) AND (x.hourly_sends IS NOT NULL OR x.daily_sends IS NOT NULL)
    ) END AS "makerLimits"`;
}

export async function touchKeys(
  query: Query,
  keys: readonly { readonly accountId: string; readonly keyId: string }[],
  now: Date,
): Promise<void> {
  await query`
    UPDATE api_keys k SET last_used_at = ${now}
    FROM unnest(${keys.map((key) => key.accountId)}::uuid[], ${keys.map((key) => key.keyId)}::uuid[]) AS u (account_id, id)
    WHERE k.account_id = u.account_id AND k.id = u.id`;
}
