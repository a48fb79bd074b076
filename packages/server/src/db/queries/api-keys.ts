import type { KeyMode, Scope, Source } from '@postrider/core';
import type { Query } from '../client.ts';

/** A stored key with the account it belongs to. */
export interface ApiKeyRow {
  readonly accountId: string;
  readonly accountName: string;
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
  readonly keyId: string;
  readonly keyName: string;
  readonly mode: KeyMode;
  readonly last4: string;
  readonly scopes: readonly Scope[];
  readonly recipientAllowlist: readonly string[] | null;
  readonly personaSource: Source | null;
  readonly personaAgentName: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** The key of a hash with its account; null where none is known. Revoked and expired keys are found too. */
export async function findKeyByHash(query: Query, hash: Uint8Array): Promise<ApiKeyRow | null> {
  const [row] = await query<ApiKeyRow[]>`${keyColumns(query)} WHERE k.secret_hash = ${hash}`;
  return row ?? null;
}

/** A key by its id; null where the account has none of that id. Revoked and expired keys are found too. */
export async function findKeyById(query: Query, accountId: string, id: string): Promise<ApiKeyRow | null> {
  const [row] = await query<ApiKeyRow[]>`${keyColumns(query)} WHERE k.account_id = ${accountId} AND k.id = ${id}`;
  return row ?? null;
}

function keyColumns(query: Query) {
  return query`
    SELECT k.account_id AS "accountId", a.name AS "accountName", a.track_opens AS "trackOpens", a.track_clicks AS "trackClicks", k.id AS "keyId", k.name AS "keyName", k.mode, k.last4, k.scopes,
      k.recipient_allowlist AS "recipientAllowlist", k.persona_source AS "personaSource", k.persona_agent_name AS "personaAgentName",
      k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"
    FROM api_keys k JOIN accounts a ON a.id = k.account_id`;
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

export interface NewKeyRow {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  readonly mode: KeyMode;
  readonly hash: Uint8Array;
  readonly last4: string;
  readonly scopes: readonly Scope[];
  readonly recipientAllowlist: readonly string[] | null;
  readonly persona: { readonly source: Source | null; readonly agentName: string | null };
  readonly now: Date;
}

export async function insertKey(query: Query, key: NewKeyRow): Promise<void> {
  await query`
    INSERT INTO api_keys (account_id, id, name, mode, secret_hash, last4, scopes, recipient_allowlist,
      persona_source, persona_agent_name, created_at)
    VALUES (${key.accountId}, ${key.id}, ${key.name}, ${key.mode}, ${key.hash}, ${key.last4}, ${[...key.scopes]},
      ${key.recipientAllowlist === null ? null : [...key.recipientAllowlist]},
      ${key.persona.source}, ${key.persona.agentName}, ${key.now})`;
}
