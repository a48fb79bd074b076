import type { KeyMode, Scope, Source } from '@postrider/core';
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
  readonly recipientAllowlist: readonly string[] | null;
  readonly persona: { readonly source: Source | null; readonly agentName: string | null };
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** The caller that a stored key stands for. */
export function toCaller({ personaSource, personaAgentName, ...key }: ApiKeyRow): Caller {
  return { ...key, persona: { source: personaSource, agentName: personaAgentName } };
}
