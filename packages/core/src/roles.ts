import { ALL_SCOPES, type Scope } from './scopes.ts';

/** The roles of team members, highest first. */
export const ROLES = ['owner', 'admin', 'developer', 'approver', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** The roles that have a scope, besides owners and admins, who have every scope. */
const SCOPE_ROLES: Readonly<Record<Scope, readonly Role[]>> = {
  'emails:send': ['developer'],
  'emails:read': ['developer', 'approver', 'viewer'],
  'emails:content': ['developer', 'approver'],
  'emails:content-all': ['developer', 'approver'],
  'emails:cancel': ['developer'],
  'templates:read': ['developer', 'approver', 'viewer'],
  'templates:write': ['developer'],
  'domains:read': ['developer', 'approver', 'viewer'],
  'domains:write': ['developer'],
  'webhooks:read': ['developer', 'viewer'],
  'webhooks:write': ['developer'],
  'suppressions:read': ['developer', 'approver', 'viewer'],
  'suppressions:write': ['developer'],
  'suppressions:delete': ['developer'],
  'stats:read': ['developer', 'approver', 'viewer'],
  'account:read': ['developer', 'approver', 'viewer'],
  'account:write': [],
  'keys:read': ['developer'],
  'keys:write': ['developer'],
  'approvals:read': ['developer', 'approver'],
  'approvals:decide': ['approver'],
  'team:read': ['developer', 'approver', 'viewer'],
  'team:write': [],
  'logs:read': ['developer'],
  'audit:read': [],
  'support:write': ['developer', 'approver', 'viewer'],
};

/** The scopes of a role, in the catalog's order. */
export function scopesOfRole(role: Role): readonly Scope[] {
  return ALL_SCOPES.filter((scope) => role === 'owner' || role === 'admin' || SCOPE_ROLES[scope].includes(role));
}

/**
 * What a session may do. A device session decides held sends only if the user allowed it when confirming the sign-in, because
 * someone else may have requested the code.
 */
export function scopesOfSession(role: Role, mayDecide: boolean): readonly Scope[] {
  return scopesOfRole(role).filter((scope) => mayDecide || scope !== 'approvals:decide');
}

/** Whether one role is at least as high as another: users cannot assign, change or remove a role above their own. */
export function isRoleWithin(inner: Role, outer: Role): boolean {
  return ROLES.indexOf(inner) >= ROLES.indexOf(outer);
}
