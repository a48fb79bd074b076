import { ALL_SCOPES, type Scope, type Viewer } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { findKeyById } from '../db/queries/api-keys.ts';
import { usableScopes } from '../usable-scopes.ts';

/** What the caller of an operation may see. */
export function viewerOf(caller: {
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly user: object | null;
}): Viewer {
  return { keyId: caller.keyId, scopes: caller.scopes, isUser: caller.user !== null };
}

/** What a key may see now; nothing if the account has no such key. */
export async function readViewerOfKey(query: Query, accountId: string, keyId: string): Promise<Viewer> {
  const key = await findKeyById(query, accountId, keyId);
  return { keyId, scopes: key === null ? [] : usableScopes(key), isUser: false };
}

/** The operator of the installation, who can access the database itself. */
export const OPERATOR: Viewer = { keyId: '', scopes: ALL_SCOPES, isUser: true };
