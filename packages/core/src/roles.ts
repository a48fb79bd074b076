import { ALL_SCOPES, type Scope } from './scopes.ts';

/** What a member of a team is, from the one who may do everything down. */
export const ROLES = ['owner', 'admin', 'developer', 'approver', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** Which roles may do what a scope stands for, beside owners and admins, who may do all of it. */
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

/** What a person of this role may do, in the catalogue's order of scopes. */
export function scopesOfRole(role: Role): readonly Scope[] {
  return ALL_SCOPES.filter((scope) => role === 'owner' || role === 'admin' || SCOPE_ROLES[scope].includes(role));
}

/**
 * What a session may do. A device session decides held sends only where the user allowed it when they confirmed the sign-in: the one who asked for
 * the code may be someone else.
 */
export function scopesOfSession(role: Role, mayDecide: boolean): readonly Scope[] {
  return scopesOfRole(role).filter((scope) => mayDecide || scope !== 'approvals:decide');
}

/** Whether one role stands above another or beside it: nobody gives, changes or takes away a role above their own. */
export function isRoleWithin(inner: Role, outer: Role): boolean {
  return ROLES.indexOf(inner) >= ROLES.indexOf(outer);
}
