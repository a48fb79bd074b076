import { expandScopes, type KeyMode, LIMITS, type Source } from '@postrider/core';
import type { Query } from '../db/client.ts';
import type { KeyRestrictions } from '../db/queries/api-keys.ts';
import { insertKey } from '../db/queries/key-changes.ts';
import { normalizeAllowlist } from '../sending/allowlist.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { createApiKey } from './api-key.ts';
import { defaultRestrictions } from './key-restrictions.ts';

export interface NewKey {
  readonly accountId: string;
  readonly name: string;
  readonly mode: KeyMode;
  /** Scopes and shorthands, already validated. */
  readonly scopes: readonly string[];
  /** Entries `a@b.c`, `@b.c` or `*.b.c`, already validated. Null allows every recipient. */
  readonly recipientAllowlist: readonly string[] | null;
  /** Normalized hosts from which attachments may be fetched; the default of the key's kind if omitted. */
  readonly attachmentHosts?: readonly string[] | null;
  /** Requests per minute; the default if omitted. */
  readonly rateLimit?: number;
  /** The source and agent name of sends that do not name their own; none if omitted. */
  readonly persona?: { readonly source: Source | null; readonly agentName: string | null };
  /** The member for whom the key is made. */
  readonly createdByMember?: string | null;
  readonly now: Date;
}

/**
 * The restrictions of an account's first key. They are minimal, because it makes all other keys, and no key can make one less restricted
 * than itself.
 */
export const FIRST_KEY = { scopes: ['full'], rateLimit: LIMITS.keyRatePerMinuteMax, recipientAllowlist: null } as const;

/** Creates and stores a key for an operator. The secret is only in the return value. */
export async function createKey(
  query: Query,
  ids: IdGenerator,
  { accountId, name, now, createdByMember = null, ...requested }: NewKey,
): Promise<{ readonly id: string; readonly secret: string }> {
  const defaults = defaultRestrictions(requested.mode);
  const { scopes } = expandScopes(requested.scopes);
  const recipientAllowlist =
    requested.recipientAllowlist === null ? null : normalizeAllowlist(requested.recipientAllowlist).entries;
  const { source: personaSource = null, agentName: personaAgentName = null } = requested.persona ?? {};
  const rateLimit = requested.rateLimit ?? defaults.rateLimit;
  const { attachmentHosts = null } = requested;
  const restrictions = {
    ...defaults,
    scopes,
    attachmentHosts,
    recipientAllowlist,
    personaSource,
    personaAgentName,
    rateLimit,
  };
  return await storeKey(query, ids, { accountId, name, restrictions, makers: [], createdByMember, now });
}

/** Stores a key whose restrictions are already decided. */
export async function storeKey(
  query: Query,
  ids: IdGenerator,
  key: {
    readonly accountId: string;
    readonly name: string;
    readonly restrictions: KeyRestrictions;
    readonly makers: readonly string[];
    readonly createdByMember: string | null;
    /** The program that signed in and uses the key by access tokens. */
    readonly clientId?: string;
    readonly clientName?: string;
    readonly now: Date;
  },
): Promise<{ readonly id: string; readonly secret: string }> {
  const id = ids.next(key.now);
  const { secret, hash, last4 } = createApiKey(key.restrictions.mode);
  await insertKey(query, { ...key, id, hash, last4 });
  return { id, secret };
}
