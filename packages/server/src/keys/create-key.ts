import { expandScopes, type KeyMode, type Source } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { insertKey } from '../db/queries/api-keys.ts';
import { normalizeAllowlist } from '../sending/allowlist.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { createApiKey } from './api-key.ts';

export interface NewKey {
  readonly accountId: string;
  readonly name: string;
  readonly mode: KeyMode;
  /** Scopes and shorthands; unknown ones were refused before. */
  readonly scopes: readonly string[];
  /** Entries `a@b.c`, `@b.c` or `*.b.c`; others were refused before. Null allows every recipient. */
  readonly recipientAllowlist: readonly string[] | null;
  /** What its sends are said to come from where they do not say so themselves; none unless given. */
  readonly persona?: { readonly source: Source | null; readonly agentName: string | null };
  readonly now: Date;
}

/** Makes and stores a key; the secret is in the answer and nowhere else. */
export async function createKey(
  query: Query,
  ids: IdGenerator,
  key: NewKey,
): Promise<{ readonly id: string; readonly secret: string }> {
  const id = ids.next(key.now);
  const { secret, hash, last4 } = createApiKey(key.mode);
  const { scopes } = expandScopes(key.scopes);
  const recipientAllowlist =
    key.recipientAllowlist === null ? null : normalizeAllowlist(key.recipientAllowlist).entries;
  const persona = key.persona ?? { source: null, agentName: null };
  await insertKey(query, { ...key, id, hash, last4, scopes, recipientAllowlist, persona });
  return { id, secret };
}
