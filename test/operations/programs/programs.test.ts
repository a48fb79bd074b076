import { ROLES } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { createProgram, type OAuthProgram } from '../../harness/oauth-program.ts';
import { joinAs, signInAs, type TestSession } from '../../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../../harness/test-app.ts';

const MESSAGE = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi!' };

function expectProgramError({ status, body }: TestResponse, error: string): void {
  expect([status, body.error]).toEqual([400, error]);
}

describe('the programs that a user allowed', { tags: ['sessions.programs'] }, () => {
  let server: TestApp;
  let owner: TestSession;
  let program: OAuthProgram;
  let members: Readonly<Record<string, TestSession>>;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
    program = await createProgram(server);
    const joined = ROLES.map(async (role) => [role, role === 'owner' ? owner : await joinAs(server, owner, role)]);
    members = Object.fromEntries(await Promise.all(joined));
  });
  afterAll(() => server.close());

  const PATHS = { revoke: '/programs/:id', pause: '/programs/:id/pause', resume: '/programs/:id/resume' } as const;
  const pathOf = (verb: keyof typeof PATHS, id: string) => PATHS[verb].replace(':id', id);
  const memberOf = (role: string) => members[role] as TestSession;
  const list = async (by: TestSession) => (await by.call('GET', '/programs')).body.programs;
  const audited = async (targetId: string, action: string) =>
    (await owner.call('GET', `/audit?action=${action}&target_id=${targetId}`)).body.entries;
  /** The program may be called as soon as caches have expired. */
  const statusOf = async (access: string) => {
    server.clock.advance(1_000);
    return (await program.callTool(access, 'get_sending_context')).status;
  };
  const text = ({ body }: Awaited<ReturnType<OAuthProgram['callTool']>>) => JSON.stringify(body);

  it.each(ROLES)('are listed and ended by a user with the role %s', async (role) => {
    const user = memberOf(role);
    const { access } = await program.signIn(user);
    const [shown] = await list(user);
    const { memberId, email } = user.user;
    expect(shown).toMatchObject({
      ...{ name: 'Claude Code', revokedAt: null, approvalMode: 'always' },
      client: { name: 'Claude Code', id: program.clientId, grantedBy: { memberId, email } },
    });
    expect(await statusOf(access)).toBe(200);
    const paused = await user.call('POST', pathOf('pause', shown.id));
    expect([paused.status, paused.body.pausedAt]).toEqual([200, expect.any(String)]);
    const resumed = await user.call('POST', pathOf('resume', shown.id));
    expect([resumed.status, resumed.body.pausedAt]).toEqual([200, null]);
    const ended = await user.call('DELETE', pathOf('revoke', shown.id));
    expect([ended.status, ended.body.revokedAt]).toEqual([200, expect.any(String)]);
    expect(await list(user)).toEqual([]);
    expect(await statusOf(access)).toBe(401);
    for (const action of ['key.paused', 'key.resumed', 'key.revoked']) {
      expect(await audited(shown.id, action)).toMatchObject([{ actor: memberId }]);
    }
  });

  it('belong to their user alone, whatever the role of another user', async () => {
    await program.signIn(memberOf('viewer'));
    const [{ id }] = await list(memberOf('viewer'));
    expect(await list(memberOf('admin'))).toEqual([]);
    const { body: key } = await owner.call('POST', '/keys', { body: { name: 'Plain', scopes: ['emails:read'] } });
    for (const target of [id, key.id, 'x']) {
      for (const [method, path] of [
        ['DELETE', pathOf('revoke', target)],
        ['POST', pathOf('pause', target)],
        ['POST', pathOf('resume', target)],
      ] as const) {
        expectProblem(await memberOf('admin').call(method, path), 404, 'not_found');
        if (target !== id) expectProblem(await owner.call(method, path), 404, 'not_found');
      }
    }
    expectProblem(await server.call('GET', '/programs'), 401, 'session_required');
    expectProblem(await server.call('DELETE', pathOf('revoke', id)), 401, 'session_required');
    const foreign = { headers: { origin: 'https://evil.example' } };
    expect((await memberOf('viewer').call('DELETE', pathOf('revoke', id), foreign)).status).toBe(403);
    expect(await list(memberOf('viewer'))).toHaveLength(1);
    await memberOf('viewer').call('DELETE', pathOf('revoke', id));
    expectInvalid(await memberOf('viewer').call('POST', pathOf('pause', id)), ['id', 'revoked']);
  });

  it('stay paused when another user paused them, unless the role may resume keys', async () => {
    for (const [role, isAllowed] of [
      ['viewer', false],
      ['developer', true],
    ] as const) {
      await program.signIn(memberOf(role));
      const [{ id }] = await list(memberOf(role));
      await owner.call('POST', `/keys/${id}/pause`);
      const resumed = await memberOf(role).call('POST', pathOf('resume', id));
      if (isAllowed) expect(resumed.body.pausedAt).toBeNull();
      else {
        expectProblem(resumed, 403, 'permission_escalation');
        expect(resumed.body.detail).toContain('owner@sandbox.test paused the program');
      }
      await memberOf(role).call('DELETE', pathOf('revoke', id));
    }
  });

  it('are not connected before they collect their token, nor after they sign out', async () => {
    const user = memberOf('approver');
    const connected = async () => (await list(user)).map((key: { connected: boolean }) => key.connected);
    const asked = await program.ask(user);
    const returned = await program.decide(user, asked);
    expect(await connected()).toEqual([false]);
    server.clock.advance(120_000);
    expectProgramError(await program.exchange(returned, asked), 'invalid_grant');
    expect(await connected()).toEqual([false]);
    const { refresh } = await program.signIn(user);
    expect(await connected()).toEqual([true, false]);
    // The access token has expired. The refresh token gets another one, and is no longer valid itself.
    server.clock.advance(3_700_000);
    expect(await connected()).toEqual([true, false]);
    const { body } = await program.refresh(refresh);
    expect(await connected()).toEqual([true, false]);
    await program.revoke(body.refresh_token);
    expect(await connected()).toEqual([false, false]);
    for (const { id } of await list(user)) await user.call('DELETE', pathOf('revoke', id));
  });

  it('are not listed once they have expired', async () => {
    await program.signIn(memberOf('approver'), { days: '1' });
    expect(await list(memberOf('approver'))).toHaveLength(1);
    server.clock.advance(86_400_000);
    expect(await list(memberOf('approver'))).toEqual([]);
  });

  it('withdraw what they hold when they end', async () => {
    const { access } = await program.signIn(memberOf('developer'));
    expect(text(await program.callTool(access, 'send_email', MESSAGE))).toContain('held');
    const [{ id }] = await list(memberOf('developer'));
    await memberOf('developer').call('DELETE', pathOf('revoke', id));
    const { approvals } = (await owner.call('GET', `/keys/approvals?status=withdrawn`)).body;
    expect(approvals).toMatchObject([{ keyId: id, status: 'withdrawn' }]);
  });
});

describe('the page of the programs', { tags: ['sessions.programs'] }, () => {
  let server: TestApp;
  let viewer: TestSession;
  let program: OAuthProgram;
  beforeAll(async () => {
    server = await startTestApp();
    const owner = await signInAs(server, 'owner@sandbox.test');
    viewer = await joinAs(server, owner, 'viewer');
    program = await createProgram(server, { name: 'Claude <b>Code</b>' });
  });
  afterAll(() => server.close());

  const open = async () => String((await viewer.call('GET', '/console/programs')).body);
  const post = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    await viewer.call('POST', `/console/programs/${path}`, {
      ...{ rawBody: '', headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } },
    });

  it('ends a program for a viewer with plain forms, from this server only', async () => {
    expect(await open()).toContain('You have allowed no program.');
    await program.signIn(viewer);
    const [{ id }] = (await viewer.call('GET', '/programs')).body.programs;
    const shown = await open();
    expect(shown).toContain('Claude &lt;b&gt;Code&lt;/b&gt;');
    expect(shown).toContain(program.clientId);
    expect(shown).toContain('What it may do');
    expect((await post(`${id}/revoke`, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(`${id}/pause`)).status).toBe(303);
    expect(await open()).toContain(`action="/console/programs/${id}/resume"`);
    expect((await post(`${id}/resume`)).status).toBe(303);
    const ended = await post(`${id}/revoke`);
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/console/programs']);
    expect(await open()).toContain('You have allowed no program.');
  });

  it('names a program that has not connected yet, and one that signed out', async () => {
    await program.decide(viewer, await program.ask(viewer));
    const shown = await open();
    expect(shown).toContain('Allowed, not connected yet');
    expect(shown).not.toContain('>Active<');
    const { access, refresh } = await program.signIn(viewer);
    await program.callTool(access, 'get_sending_context');
    expect(await open()).toContain('>Active<');
    await program.revoke(refresh);
    expect(await open()).toContain('Signed out');
  });

  it('is linked from the settings and from the page on which the user allows a program', async () => {
    const link = 'href="/console/programs"';
    expect((await viewer.call('GET', '/console/settings')).body).toContain(link);
    const { consent, cookie } = await program.ask(viewer);
    const asked = await viewer.call('GET', consent, { headers: { cookie } });
    expect(asked.body).toContain(link);
  });
});
