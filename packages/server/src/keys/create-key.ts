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
  /** Scopes and shorthands; unknown ones were refused before. */
  readonly scopes: readonly string[];
  /** Entries `a@b.c`, `@b.c` or `*.b.c`; others were refused before. Null allows every recipient. */
  readonly recipientAllowlist: readonly string[] | null;
  /** Hosts that attachments may be fetched from, as normalized; left to the kind of key unless given. */
  readonly attachmentHosts?: readonly string[] | null;
  /** Requests a minute; the default unless given. */
  readonly rateLimit?: number;
  /** What its sends are said to come from where they do not say so themselves; none unless given. */
  readonly persona?: { readonly source: Source | null; readonly agentName: string | null };
  /** The person it is made for. */
  readonly createdByMember?: string | null;
  readonly now: Date;
}

/** Of the key an account begins with: every other key is made by it, and no key can make a less restricted one. */
export const FIRST_KEY = { scopes: ['full'], rateLimit: LIMITS.keyRatePerMinuteMax, recipientAllowlist: null } as const;

/** Makes and stores a key as an operator does; the secret is in the answer and nowhere else. */
export async function createKey(
  query: Query,
  ids: IdGenerator,
  { accountId, name, now, createdByMember = null, ...wishes }: NewKey,
): Promise<{ readonly id: string; readonly secret: string }> {
  const defaults = defaultRestrictions(wishes.mode);
  const { scopes } = expandScopes(wishes.scopes);
  const recipientAllowlist =
    wishes.recipientAllowlist === null ? null : normalizeAllowlist(wishes.recipientAllowlist).entries;
  const { source: personaSource = null, agentName: personaAgentName = null } = wishes.persona ?? {};
  const rateLimit = wishes.rateLimit ?? defaults.rateLimit;
  const { attachmentHosts = null } = wishes;
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

/** Stores a key of which everything is decided. */
export async function storeKey(
  query: Query,
  ids: IdGenerator,
  key: {
    readonly accountId: string;
    readonly name: string;
    readonly restrictions: KeyRestrictions;
    readonly makers: readonly string[];
    readonly createdByMember: string | null;
    readonly now: Date;
  },
): Promise<{ readonly id: string; readonly secret: string }> {
  const id = ids.next(key.now);
  const { secret, hash, last4 } = createApiKey(key.restrictions.mode);
  await insertKey(query, { ...key, id, hash, last4 });
  return { id, secret };
}
