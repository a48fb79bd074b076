import type { Query } from '../client.ts';
import type { KeyRestrictions } from './api-keys.ts';

export interface NewKeyRow {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  readonly hash: Uint8Array;
  readonly last4: string;
  readonly restrictions: KeyRestrictions;
  /** The keys it is made by, its own maker first; none where a user or an operator makes it. */
  readonly makers: readonly string[];
  readonly createdByMember: string | null;
  readonly now: Date;
}

export async function insertKey(query: Query, key: NewKeyRow): Promise<void> {
  const { restrictions: r } = key;
  await query`
    INSERT INTO api_keys (account_id, id, name, mode, secret_hash, last4, scopes, rate_limit, recipient_allowlist, ip_allowlist,
      attachment_hosts, expires_at, approval_mode, hold_when, persona_source, persona_agent_name, lock_persona, hourly_sends, daily_sends,
      held_since, created_by_key, makers, created_by_member, created_at)
    VALUES (${key.accountId}, ${key.id}, ${key.name}, ${r.mode}, ${key.hash}, ${key.last4}, ${[...r.scopes]}, ${r.rateLimit},
      ${copyOf(r.recipientAllowlist)}, ${copyOf(r.ipAllowlist)}, ${copyOf(r.attachmentHosts)}, ${r.expiresAt}, ${r.approvalMode}, ${toJson(r.holdWhen)}::text::jsonb,
      ${r.personaSource}, ${r.personaAgentName}, ${r.lockPersona}, ${r.hourlySends}, ${r.dailySends},
      ${r.approvalMode === 'off' ? null : key.now}, ${key.makers[0] ?? null},
      ${[...key.makers]}::uuid[], ${key.createdByMember}, ${key.now})`;
}

export interface KeyName {
  readonly accountId: string;
  readonly keyId: string;
}

/** Writes the name and every restriction as they are to be. The mode stays. A new end is announced again. */
export async function rewriteKey(
  query: Query,
  { accountId, keyId }: KeyName,
  name: string,
  r: KeyRestrictions,
  now: Date,
): Promise<void> {
  await query`
    UPDATE api_keys SET name = ${name}, scopes = ${[...r.scopes]}, rate_limit = ${r.rateLimit},
      recipient_allowlist = ${copyOf(r.recipientAllowlist)}, ip_allowlist = ${copyOf(r.ipAllowlist)},
      attachment_hosts = ${copyOf(r.attachmentHosts)},
      expiry_told_at = CASE WHEN expires_at IS NOT DISTINCT FROM ${r.expiresAt}::timestamptz THEN expiry_told_at END,
      expires_at = ${r.expiresAt}, approval_mode = ${r.approvalMode}, hold_when = ${toJson(r.holdWhen)}::text::jsonb,
      persona_source = ${r.personaSource}, persona_agent_name = ${r.personaAgentName}, lock_persona = ${r.lockPersona},
      hourly_sends = ${r.hourlySends}, daily_sends = ${r.dailySends},
      held_since = CASE WHEN ${r.approvalMode === 'off'} THEN NULL WHEN approval_mode = 'off' THEN ${now}::timestamptz ELSE held_since END
    WHERE account_id = ${accountId} AND id = ${keyId}`;
}

export async function markRevoked(query: Query, { accountId, keyId }: KeyName, at: Date): Promise<void> {
  await query`UPDATE api_keys SET revoked_at = ${at} WHERE account_id = ${accountId} AND id = ${keyId}`;
}

/** Gives a key another secret. The one before it, and those before that, end at `oldEndsAt` or when they would have anyway. */
export async function replaceSecret(
  query: Query,
  { accountId, keyId }: KeyName,
  secret: { readonly hash: Uint8Array; readonly last4: string },
  oldEndsAt: Date,
): Promise<void> {
  await query`
    UPDATE retired_key_secrets SET ends_at = least(ends_at, ${oldEndsAt}) WHERE account_id = ${accountId} AND key_id = ${keyId}`;
  await query`
    INSERT INTO retired_key_secrets (account_id, key_id, secret_hash, last4, ends_at)
    SELECT account_id, id, secret_hash, last4, ${oldEndsAt} FROM api_keys WHERE account_id = ${accountId} AND id = ${keyId}`;
  await query`
    UPDATE api_keys SET secret_hash = ${secret.hash}, last4 = ${secret.last4} WHERE account_id = ${accountId} AND id = ${keyId}`;
}

export interface ExpiringKey extends KeyName {
  readonly keyName: string;
  readonly last4: string;
  readonly expiresAt: Date;
}

/** Keys that end before `before`, have not ended by now and were not announced to; they count as announced from here on. */
export async function claimExpiringKeys(
  query: Query,
  { now, before }: { readonly now: Date; readonly before: Date },
): Promise<readonly ExpiringKey[]> {
  return await query<ExpiringKey[]>`
    UPDATE api_keys SET expiry_told_at = ${now}
    WHERE expires_at > ${now} AND expires_at <= ${before} AND expiry_told_at IS NULL AND revoked_at IS NULL
    RETURNING account_id AS "accountId", id AS "keyId", name AS "keyName", last4, expires_at AS "expiresAt"`;
}

export interface SentCounts {
  readonly hour: number;
  readonly day: number;
}

/** What a key has sent in the hour and on the day that began then. */
export async function readSentCounts(
  query: Query,
  { accountId, keyId }: KeyName,
  starts: { readonly hour: Date; readonly day: Date },
): Promise<SentCounts> {
  const rows = await query<{ period: 'hour' | 'day'; sends: number }[]>`
    SELECT period, sends FROM key_sends WHERE account_id = ${accountId} AND key_id = ${keyId}
      AND starts_at >= CASE period WHEN 'hour' THEN ${starts.hour}::timestamptz ELSE ${starts.day}::timestamptz END`;
  const of = (period: 'hour' | 'day') => rows.find((row) => row.period === period)?.sends ?? 0;
  return { hour: of('hour'), day: of('day') };
}

function copyOf(list: readonly string[] | null): string[] | null {
  return list === null ? null : [...list];
}

function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
