import { ROLES, type Role, scopesOfRole } from './roles.ts';
import { ALL_SCOPES, SCOPE_SHORTHANDS, type Scope } from './scopes.ts';

/** Scopes that a program cannot get by signing in: they control keys, members, the account and decisions. */
const NOT_FOR_PROGRAMS: readonly Scope[] = [
  'account:write',
  'keys:write',
  'approvals:read',
  'approvals:decide',
  'team:write',
  'logs:read',
  'audit:read',
];

/** Scopes that a user can grant to a program that signs in with OAuth. */
export const PROGRAM_SCOPES: readonly Scope[] = ALL_SCOPES.filter((scope) => !NOT_FOR_PROGRAMS.includes(scope));

/** Scopes that a program asks for first: sending and reading. The user decides about the last one with a separate choice. */
export const FIRST_PROGRAM_SCOPES: readonly Scope[] = ALL_SCOPES.filter(
  (scope) => SCOPE_SHORTHANDS.sending.includes(scope) || scope === 'emails:content-all',
);

/**
 * What a program that signed in may do: of the scopes that its user granted, those that programs can have and the user's role has.
 * @param role null if the user has left the team
 */
export function scopesOfProgram(granted: readonly Scope[], role: Role | null): readonly Scope[] {
  const ofRole = role === null ? [] : scopesOfRole(role);
  return granted.filter((scope) => PROGRAM_SCOPES.includes(scope) && ofRole.includes(scope));
}

/** The roles whose users can let a program use this scope. */
export function rolesGranting(scope: Scope): readonly Role[] {
  return ROLES.filter((role) => scopesOfProgram([scope], role).length > 0);
}
