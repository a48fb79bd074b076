import { OPERATIONS, ROLES, type Role, type Scope, scopesOfRole } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../harness/expect-problem.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** Written down again, so that no role comes to more by a slip in the one table. */
const READS = [
  'emails:read',
  'templates:read',
  'domains:read',
  'suppressions:read',
  'stats:read',
  'account:read',
  'team:read',
];
const EXPECTED: Readonly<Record<Exclude<Role, 'owner' | 'admin'>, readonly string[]>> = {
  viewer: [...READS, 'webhooks:read', 'support:write'],
  approver: [...READS, 'emails:content', 'emails:content-all', 'approvals:read', 'approvals:decide', 'support:write'],
  developer: [
    ...READS,
    ...['emails:send', 'emails:content', 'emails:content-all', 'emails:cancel', 'templates:write', 'domains:write'],
    ...[
      'webhooks:read',
      'webhooks:write',
      'suppressions:write',
      'suppressions:delete',
      'keys:read',
      'keys:write',
      'approvals:read',
    ],
    ...['logs:read', 'support:write'],
  ],
};

describe('roles', () => {
  let server: TestApp;
  const sessions = new Map<Role, TestSession>();
  beforeAll(async () => {
    server = await startTestApp();
    const owner = await signInAs(server, 'owner@sandbox.test');
    sessions.set('owner', owner);
    for (const role of ROLES.slice(1)) sessions.set(role, await joinAs(server, owner, role));
  });
  afterAll(() => server.close());

  it('allow what their scopes allow, and everything for owners and admins', () => {
    for (const [role, scopes] of Object.entries(EXPECTED))
      expect([...scopesOfRole(role as Role)].sort()).toEqual([...scopes].sort());
    expect(scopesOfRole('owner')).toEqual(scopesOfRole('admin'));
    expect(scopesOfRole('owner')).toHaveLength(26);
  });

  const keyed = OPERATIONS.filter(({ access }) => access.kind === 'key');
  it.each(keyed.map((operation) => [operation.id, operation] as const))(
    '%s responds to every role as the table says',
    { tags: ['keys.escalation'] },
    async (_, { id, method, path, access }) => {
      if (access.kind !== 'key') return;
      // Of those that would end what the others need, or wait, the refusals alone are tried.
      const isTried = !['account.delete', 'account.pause', 'webhooks.stream'].includes(id);
      for (const [role, session] of sessions) {
        const allowed = mayCall(role, access);
        if (allowed === 'allowed' && !isTried) continue;
        const response = await session.call(method, path.replaceAll(/:[a-zA-Z]+/g, 'x'));
        if (allowed === 'role') expectProblem(response, 403, 'missing_scope');
        else if (allowed === 'key') expectProblem(response, 401, 'missing_key');
        else expect([role, response.status]).toEqual([role, expect.toBeOneOf([200, 201, 202, 404, 409, 422, 400])]);
      }
    },
  );

  it('let owners and admins grant any scope, and developers their own', async () => {
    const request = (scopes: readonly string[]) => ({ body: { name: 'x', scopes, rateLimit: 600 } });
    for (const role of ['owner', 'admin'] as const) {
      const made = await sessions.get(role)?.call('POST', '/keys', request(['full', 'approvals:decide']));
      expect(made?.status).toBe(201);
    }
    const developer = sessions.get('developer');
    if (developer === undefined) throw new Error('no developer');
    expect((await developer.call('POST', '/keys', request(['emails:send']))).status).toBe(201);
    for (const scope of ['approvals:decide', 'team:write', 'account:write', 'audit:read'])
      expectProblem(await developer.call('POST', '/keys', request([scope])), 403, 'permission_escalation');
  });
});

function mayCall(
  role: Role,
  access: { readonly scope: Scope | null; readonly users?: 'none' | 'owners' },
): 'allowed' | 'role' | 'key' {
  if (access.users === 'none') return 'key';
  if (access.users === 'owners' && role !== 'owner') return 'role';
  const isAllowed =
    role === 'owner' || role === 'admin' || access.scope === null || EXPECTED[role].includes(access.scope);
  return isAllowed ? 'allowed' : 'role';
}
