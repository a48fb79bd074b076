import {
  describeProgramScope,
  findOperation,
  OPERATIONS,
  type Operation,
  PROGRAM_SCOPES,
  refusedKind,
  rolesGranting,
  SCOPES,
  type Scope,
  scopesOfProgram,
} from '@postrider/core';
import { describe, expect, it } from 'vitest';

const HELD = {
  ...{ role: null, isDevice: false, isHeld: true },
  ...{ isTest: false, isAllowlisted: false, isLimited: false, isPaused: false },
};
const usesOf = (scope: Scope): readonly Operation[] =>
  OPERATIONS.filter(({ access }) => access.kind === 'key' && access.scope === scope);

describe('the scopes of programs', () => {
  it('are those with which a key can do something while its messages wait for approval', () => {
    expect(PROGRAM_SCOPES).toEqual([
      ...['emails:send', 'emails:read', 'emails:content', 'emails:content-all', 'emails:cancel'],
      ...['templates:read', 'templates:write', 'domains:read', 'webhooks:read', 'suppressions:read'],
      ...['stats:read', 'account:read', 'keys:read', 'team:read', 'support:write'],
    ]);
    for (const scope of ['domains:write', 'webhooks:write', 'suppressions:write', 'suppressions:delete'] as const) {
      expect(usesOf(scope).every((operation) => refusedKind(operation, HELD) !== null)).toBe(true);
    }
  });

  it('are described by what they allow, where that is less than the catalog says', () => {
    const isLess = (operation: Operation) => operation.heldAs === 'draft' || refusedKind(operation, HELD) !== null;
    const lesser = PROGRAM_SCOPES.filter((scope) => usesOf(scope).some(isLess));
    expect(lesser).toEqual(['templates:write', 'support:write']);
    expect(PROGRAM_SCOPES.filter((scope) => describeProgramScope(scope) !== SCOPES[scope])).toEqual(lesser);
    expect(findOperation('templates.create').heldAs).toBe('draft');
  });

  it('never exceed what was granted, what programs can have, and the role of the user', () => {
    const granted = ['emails:send', 'emails:read', 'approvals:decide', 'domains:write'] as const;
    expect(scopesOfProgram(granted, 'owner')).toEqual(['emails:send', 'emails:read']);
    expect(scopesOfProgram(granted, 'viewer')).toEqual(['emails:read']);
    expect(scopesOfProgram(granted, null)).toEqual([]);
    expect(rolesGranting('emails:content-all')).toEqual(['owner', 'admin', 'developer', 'approver']);
    expect(rolesGranting('approvals:decide')).toEqual([]);
  });
});
