import type { KeyMode, Scope, SendLimit, Source } from '@postrider/core';
import type { ApiKeyRow } from '../db/queries/api-keys.ts';

/** Who calls: the key behind a request, and the account it belongs to. */
export interface Caller {
  readonly accountId: string;
  readonly accountName: string;
  /** The account's switches. */
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
  readonly keyId: string;
  readonly keyName: string;
  readonly mode: KeyMode;
  readonly last4: string;
  readonly scopes: readonly Scope[];
  /** Requests a minute. */
  readonly rateLimit: number;
  readonly recipientAllowlist: readonly string[] | null;
  readonly ipAllowlist: readonly string[] | null;
  readonly persona: { readonly source: Source | null; readonly agentName: string | null };
  readonly lockPersona: boolean;
  readonly sendLimit: SendLimit | null;
  /** What is paused, so that nothing can be sent. */
  readonly pausedBy: 'key' | 'account' | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** When the secret that was shown ends; null for the present one. */
  readonly secretEndsAt: Date | null;
  /** The key as it is stored. */
  readonly row: ApiKeyRow;
}

/** The caller that a stored key stands for. */
export function toCaller(row: ApiKeyRow): Caller {
  return {
    accountId: row.accountId,
    accountName: row.accountName,
    trackOpens: row.trackOpens,
    trackClicks: row.trackClicks,
    keyId: row.keyId,
    keyName: row.keyName,
    mode: row.mode,
    last4: row.last4,
    scopes: row.scopes,
    rateLimit: row.rateLimit,
    recipientAllowlist: row.recipientAllowlist,
    ipAllowlist: row.ipAllowlist,
    persona: { source: row.personaSource, agentName: row.personaAgentName },
    lockPersona: row.lockPersona,
    sendLimit: toSendLimit(row),
    pausedBy: row.accountPausedAt !== null ? 'account' : row.pausedAt !== null ? 'key' : null,
    createdAt: row.createdAt,
    lastUsedAt: row.lastUsedAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    secretEndsAt: row.secretEndsAt,
    row,
  };
}

export function toSendLimit({ hourlySends, dailySends }: Pick<ApiKeyRow, 'hourlySends' | 'dailySends'>) {
  return hourlySends === null && dailySends === null ? null : { hour: hourlySends, day: dailySends };
}
