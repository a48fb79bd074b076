import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmDevice } from '../../../packages/server/src/auth/device-consent.ts';
import { changeRole, inviteMember } from '../../../packages/server/src/auth/team.ts';
import { appendAudit } from '../../../packages/server/src/db/queries/audit-log.ts';
import { createIdGenerator } from '../../../packages/server/src/uuid-v7.ts';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { browserOf, joinAs, signInAs, type TestSession } from '../../harness/session.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('the team', () => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_SIGNUP: 'closed' } });
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  const invite = (by: TestSession, email: string, role: string) =>
    by.call('POST', '/team/invitations', { body: { email, role } });

  it('lists its members and seats', { tags: ['team.list', 'team.list-fields'] }, async () => {
    const { status, body } = await server.call('GET', '/team');
    expect([status, body]).toEqual([
      200,
      {
        members: [
          {
            id: owner.user.memberId,
            name: null,
            email: 'owner@sandbox.test',
            role: 'owner',
            status: 'active',
            joinedAt: expect.stringMatching(/Z$/),
          },
        ],
        seats: { used: 1, limit: 25 },
      },
    ]);
    expect((await server.call('GET', '/account')).body.seats).toEqual(body.seats);
  });

  it('grows by invitations, which users accept by signing in', { tags: ['team.invitations'] }, async () => {
    const invited = await invite(owner, 'Ada <Ada@sandbox.test>', 'developer');
    expect([invited.status, invited.body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: null,
        email: 'Ada@sandbox.test',
        role: 'developer',
        status: 'invited',
        joinedAt: null,
      },
    ]);
    expectProblem(await invite(owner, 'ada@SANDBOX.test', 'viewer'), 409, 'already_exists');
    // The server's own timers may have taken it up before.
    await server.pump();
    const read = async () => await readCaptured(server, 'Your invitation to Acme');
    await expect.poll(async () => (await read()).map(({ to }) => to)).toEqual([['Ada@sandbox.test']]);
    const [mail] = await read();
    expect(mail?.parsed.text).toContain(`${server.baseUrl}/auth/sign-in`);
    const ada = await signInAs(server, 'ada@sandbox.test');
    expect(ada.user).toMatchObject({ memberId: invited.body.id, role: 'developer' });
    const { members } = (await ada.call('GET', '/team')).body;
    expect(members[1]).toMatchObject({ id: invited.body.id, status: 'active', joinedAt: expect.any(String) });
    const { entries } = (await owner.call('GET', '/audit?action=member')).body;
    expect(entries.map(({ action, actor }: { action: string; actor: string }) => [action, actor])).toEqual([
      ['member.joined', invited.body.id],
      ['member.invited', owner.user.memberId],
    ]);
  });

  it('changes roles, also in open sessions, on every process within a second', {
    tags: ['team.invitations'],
  }, async () => {
    const member = await joinAs(server, owner, 'viewer');
    expectProblem(await member.call('POST', '/templates', { body: { name: 'x' } }), 403, 'missing_scope');
    const path = `/team/${member.user.memberId}`;
    const changed = await owner.call('PATCH', path, { body: { role: 'admin' } });
    expect([changed.status, changed.body.role]).toEqual([200, 'admin']);
    expect((await member.call('GET', '/audit')).status).toBe(200);
    const other = await startTestApp({ database: server.database });
    try {
      const there = browserOf(other, member.cookie);
      expect((await there.call('GET', '/audit')).status).toBe(200);
      await owner.call('PATCH', path, { body: { role: 'viewer' } });
      await expect
        .poll(async () => (await there.call('GET', '/audit')).status, { timeout: 1_000, interval: 50 })
        .toBe(403);
    } finally {
      await other.close();
    }
    expectInvalid(await owner.call('PATCH', path, { body: { role: 'king' } }), 'role');
    expectInvalid(await owner.call('PATCH', path, { body: { role: 'viewer', email: 'x@y.test' } }), 'email');
  });

  it('ends the sessions of a removed user immediately, who needs a new invitation to return', {
    tags: ['team.invitations'],
  }, async () => {
    const member = await joinAs(server, owner, 'developer', 'leaver@sandbox.test');
    const sent = await member.call('POST', '/emails', {
      body: { from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hi', text: 'x' },
    });
    const removed = await owner.call('DELETE', `/team/${member.user.memberId}`);
    expect([removed.status, removed.body]).toEqual([
      200,
      expect.objectContaining({ email: 'leaver@sandbox.test', status: 'active' }),
    ]);
    expectProblem(await member.call('GET', '/account'), 401, 'session_required');
    expectProblem(await owner.call('DELETE', `/team/${member.user.memberId}`), 404, 'not_found');
    // What they sent is repeated under their own right, which is gone.
    expectProblem(await owner.call('POST', `/emails/${sent.body.id}/resend`), 409, 'issuing_key_revoked');
    const body = { email: 'leaver@sandbox.test' };
    expectProblem(await server.call('POST', '/dev/session', { key: null, body }), 404, 'not_found');
    const back = await joinAs(server, owner, 'viewer', 'leaver@sandbox.test');
    expect(back.user.id).toBe(member.user.id);
    expect(back.user.memberId).not.toBe(member.user.memberId);
  });

  it('keeps its last owner', { tags: ['team.invitations'] }, async () => {
    const path = `/team/${owner.user.memberId}`;
    expectInvalid(await owner.call('PATCH', path, { body: { role: 'admin' } }), ['role', 'last_owner']);
    expectInvalid(await owner.call('DELETE', path), ['id', 'last_owner']);
    const second = await joinAs(server, owner, 'owner', 'second@sandbox.test');
    // Of two owners who step back at once one stays.
    const both = await Promise.all([
      owner.call('PATCH', path, { body: { role: 'admin' } }),
      second.call('PATCH', `/team/${second.user.memberId}`, { body: { role: 'admin' } }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    const left = both[0]?.status === 422 ? owner : second;
    await left.call('PATCH', path, { body: { role: 'owner' } });
    await left.call('PATCH', `/team/${second.user.memberId}`, { body: { role: 'viewer' } });
  });

  it('lets no one grant a role above their own', async () => {
    const admin = await joinAs(server, owner, 'admin', 'boss@sandbox.test');
    expectProblem(await invite(admin, 'x@sandbox.test', 'owner'), 403, 'permission_escalation');
    const ownerPath = `/team/${owner.user.memberId}`;
    expectProblem(await admin.call('PATCH', ownerPath, { body: { role: 'viewer' } }), 403, 'permission_escalation');
    expectProblem(await admin.call('DELETE', ownerPath), 403, 'permission_escalation');
    const self = `/team/${admin.user.memberId}`;
    expectProblem(await admin.call('PATCH', self, { body: { role: 'owner' } }), 403, 'permission_escalation');
    expectProblem(
      await invite(await joinAs(server, owner, 'developer', 'd@sandbox.test'), 'y@sandbox.test', 'viewer'),
      403,
      'missing_scope',
    );
    expect((await admin.call('DELETE', self)).status).toBe(200);
  });

  it('cannot be changed by a user who has just lost the right to', async () => {
    const { forAccount, auth } = server.app.services;
    const { database } = forAccount(server.accountId);
    const admin = await joinAs(server, owner, 'admin', 'clinging@sandbox.test');
    const id = admin.user.memberId;
    const letIn = async () => {
      const live = await auth.sessions.findFresh({ token: admin.cookie.slice('session='.length), kind: 'cookie' });
      if (live?.caller.user === null || live === null) throw new Error('no session');
      return { caller: live.caller, user: live.caller.user };
    };
    const before = await letIn();
    await owner.call('PATCH', `/team/${id}`, { body: { role: 'developer' } });
    expect(await changeRole(database, before.caller, id, 'admin', false)).toEqual({ kind: 'escalation', of: 'user' });
    await owner.call('PATCH', `/team/${id}`, { body: { role: 'admin' } });
    const { caller, user } = await letIn();
    await owner.call('DELETE', `/team/${id}`);
    const again = { email: user.email, role: 'viewer' } as const;
    expect(await inviteMember(database, caller, again, false)).toEqual({ kind: 'escalation', of: 'user' });
    const { userCode } = (await server.call('POST', '/auth/device', { key: null })).body;
    const consent = { typed: userCode, user, accountId: caller.accountId, address: '127.0.0.1', approvals: false };
    expect(await confirmDevice(auth, consent)).toEqual({ kind: 'unknown' });
  });

  it('grants through a key nothing that the key may not do itself', async () => {
    const byKey = (email: string, role: string, key = server.key) =>
      server.call('POST', '/team/invitations', { key, body: { email, role } });
    expect((await byKey('k1@sandbox.test', 'developer')).status).toBe(201);
    // `full` leaves out deciding holds, so it cannot add a user who decides.
    const refused = await byKey('k2@sandbox.test', 'approver');
    expectProblem(refused, 403, 'permission_escalation');
    expect(refused.body.detail).toContain('The calling key lacks `approvals:decide`.');
    expectProblem(await byKey('k2@sandbox.test', 'owner'), 403, 'permission_escalation');
    const limited = await server.newKey({ scopes: ['full'], recipientAllowlist: ['@example.com'] });
    const beyond = await byKey('k2@sandbox.test', 'viewer', limited);
    expectProblem(beyond, 403, 'permission_escalation');
    expect(beyond.body.detail).toContain('It is limited by `recipientAllowlist`, and a member is not.');
    expectProblem(await server.call('DELETE', `/team/${owner.user.memberId}`), 403, 'permission_escalation');
    expectProblem(await server.call('DELETE', '/team/x'), 404, 'not_found');
  });

  it('has exactly as many members as the account allows', async () => {
    const { seats } = (await owner.call('GET', '/team')).body;
    const left = seats.limit - seats.used;
    const responses = await Promise.all(
      Array.from({ length: left + 5 }, (_, i) => invite(owner, `seat${i}@sandbox.test`, 'viewer')),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(left);
    for (const refused of responses.filter(({ status }) => status !== 201))
      expectInvalid(refused, ['email', 'too_many']);
  });

  it('mails 50 invitations of an account in 24 hours, however many members are added and removed', async () => {
    const { accountId, key } = await server.newAccount('Loop');
    const invited = async (email: string) =>
      await server.call('POST', '/team/invitations', { key, body: { email, role: 'viewer' } });
    const ids = createIdGenerator();
    for (let given = 0; given < 49; given += 1) {
      const now = server.clock.now();
      const entry = {
        accountId,
        id: ids.next(now),
        action: 'member.invited',
        actor: 'operator',
        targetId: null,
      } as const;
      await appendAudit(server.database.sql, [{ ...entry, details: {}, now }]);
      server.clock.advance(60_000);
    }
    expect((await invited('one@sandbox.test')).status).toBe(201);
    const refused = await invited('two@sandbox.test');
    expectProblem(refused, 429, 'rate_limited');
    const retryAfterSeconds = Number(refused.headers.get('retry-after'));
    expect(retryAfterSeconds).toBeGreaterThan(86_400 - 50 * 60);
    expect(retryAfterSeconds).toBeLessThanOrEqual(86_400 - 49 * 60);
    expect((await server.call('GET', '/team', { key })).body.seats.used).toBe(2);
    server.clock.advance(retryAfterSeconds * 1_000);
    expect((await invited('two@sandbox.test')).status).toBe(201);
    expectProblem(await invited('three@sandbox.test'), 429, 'rate_limited');
  });

  it('logs an invitation that cannot be mailed, and adds the member anyway', async () => {
    const lines: string[] = [];
    const settings = { POSTRIDER_MAIL_FROM: 'Team <team@nobody-verified.example>' };
    const mute = await startTestApp({ settings, log: { write: (line) => void lines.push(line) } });
    const body = { email: 'ada@sandbox.test', role: 'viewer' };
    expect((await mute.call('POST', '/team/invitations', { body })).status).toBe(201);
    await mute.close();
    expect(lines.filter((line) => line.includes('mailing an invitation'))).toEqual([
      expect.stringContaining('domain_not_verified'),
    ]);
  });

  it('is hidden from other accounts: /team/:id responds as for an unknown id', async () => {
    const other = await server.newAccount('Rival');
    const path = `/team/${owner.user.memberId}`;
    expectProblem(await server.call('PATCH', path, { key: other.key, body: { role: 'viewer' } }), 404, 'not_found');
    expectProblem(await server.call('DELETE', path, { key: other.key }), 404, 'not_found');
    expect((await server.call('GET', '/team', { key: other.key })).body.members).toHaveLength(1);
  });
});
