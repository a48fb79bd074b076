import { OPERATIONS } from './operations/index.ts';
import { type CallerFacts, refusedKind } from './reach.ts';
import { ROLES, type Role, scopesOfRole } from './roles.ts';
import { ALL_SCOPES, SCOPE_SHORTHANDS, SCOPES, type Scope } from './scopes.ts';

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

/** The program gets a key whose messages wait for approval, all or some. */
const HELD_KEY: CallerFacts = {
  ...{ role: null, isDevice: false, isHeld: true, isTest: false },
  ...{ isAllowlisted: false, isLimited: false, isPaused: false },
};

/**
 * Scopes that a user can grant to a program that signs in with OAuth: those with which its key can do something. Offering others would ask
 * the user for permissions that have no effect.
 */
export const PROGRAM_SCOPES: readonly Scope[] = ALL_SCOPES.filter(
  (scope) => !NOT_FOR_PROGRAMS.includes(scope) && isOfUse(scope),
);

/** Scopes of no operation decide what is shown. */
function isOfUse(scope: Scope): boolean {
  const uses = OPERATIONS.filter(({ access }) => access.kind === 'key' && access.scope === scope);
  return uses.length === 0 || uses.some((operation) => refusedKind(operation, HELD_KEY) === null);
}

/** Where the key of a program can do less with a scope than its description in the catalog says. */
const LESS_FOR_PROGRAMS: Readonly<Partial<Record<Scope, string>>> = {
  'templates:write': 'Create and change templates, as drafts that a user publishes.',
  'support:write': 'Read support tickets.',
};

/** What a user grants a program with a scope. */
export function describeProgramScope(scope: Scope): string {
  return LESS_FOR_PROGRAMS[scope] ?? SCOPES[scope];
}

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
