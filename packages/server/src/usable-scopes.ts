import { type Role, type Scope, scopesOfProgram } from '@postrider/core';

/** What determines the scopes of a stored key. */
export interface ScopedKey {
  readonly storedScopes: readonly Scope[];
  /** Null for a key with a secret. */
  readonly clientId: string | null;
  /** For the key of a program that signed in, the role of the user who allowed it; null if they left the team. */
  readonly grantorRole: Role | null;
  /** The scopes of the access token that was used; null or missing if none was. */
  readonly tokenScopes?: readonly Scope[] | null;
}

/**
 * The scopes of a key as it is used now. Every decision about a stored key must use these. The key of a program that signed in has no scope
 * that programs cannot have, or that the role of its user or the access token lacks, and none once the user has left the team.
 */
export function usableScopes({ storedScopes, clientId, grantorRole, tokenScopes }: ScopedKey): readonly Scope[] {
  if (clientId === null) return storedScopes;
  return scopesOfProgram(storedScopes, grantorRole).filter((scope) => tokenScopes?.includes(scope) !== false);
}

/** Whether the user who allowed the program of a key has left the team, so that nothing may be done with the key. */
export function hasLostGrantor({ clientId, grantorRole }: Pick<ScopedKey, 'clientId' | 'grantorRole'>): boolean {
  return clientId !== null && grantorRole === null;
}

/** A key with the scopes that it can use, as one side of a comparison of keys. */
export function withUsableScopes<Key extends ScopedKey>(key: Key): Key & { readonly scopes: readonly Scope[] } {
  return { ...key, scopes: usableScopes(key) };
}
