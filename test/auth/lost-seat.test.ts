import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../approvals/approving.ts';
import { openEventStream } from '../harness/event-stream.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('a member who loses their seat or a role that decides', () => {
  let server: TestApp;
  let owner: TestSession;
  let approvalId: string;
  let emailId: string;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
    const { key } = await holdingKey(server);
    const body = { from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hold me', text: 'x' };
    ({ approvalId, id: emailId } = (await server.call('POST', '/emails', { key, body })).body);
  });
  afterAll(() => server.close());

  const start = async () => (await server.call('POST', '/auth/device', { key: null })).body;
  const poll = (deviceCode: string) => server.call('POST', '/auth/device/token', { key: null, body: { deviceCode } });
  const confirm = (by: TestSession, userCode: string) =>
    by.call('POST', '/auth/device/confirm', { body: { userCode, approvals: true } });
  const change = (member: TestSession, role: string) =>
    owner.call('PATCH', `/team/${member.user.memberId}`, { body: { role } });
  const remove = (member: TestSession) => owner.call('DELETE', `/team/${member.user.memberId}`);

  /** The link that a mail to this approver has. */
  async function mailedLink(member: TestSession): Promise<string> {
    const token = createHash('sha256').update(member.user.memberId).digest('base64url');
    await server.database.sql`
      INSERT INTO approval_links (account_id, token_hash, approval_id, revision, member_id, created_at)
      VALUES (${server.accountId}, ${createHash('sha256').update(token).digest()}, ${approvalId}, 1, ${member.user.memberId}, now())`;
    return `/approvals/${token}`;
  }
  const status = async (path: string) => (await server.call('GET', path, { key: null })).status;
  async function post(path: string): Promise<number> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.baseUrl };
    return (await server.call('POST', path, { key: null, headers, rawBody: 'decision=approve' })).status;
  }

  it('loses access within a second: sessions, streams, waits, confirmed devices and mailed links', async () => {
    const member = await joinAs(server, owner, 'admin', 'leaver@sandbox.test');
    const [used, unused, unconfirmed] = [await start(), await start(), await start()];
    await confirm(member, used.userCode);
    const { token } = (await poll(used.deviceCode)).body;
    await confirm(member, unused.userCode);
    const link = await mailedLink(member);
    expect(await status(link)).toBe(200);
    const streams = await Promise.all([
      openEventStream(server, '', { cookie: member.cookie }),
      openEventStream(server, '', { key: token }),
    ]);
    for (const stream of streams) expect((await stream.next()).event).toBe('ready');
    const waiting = [
      member.call('GET', `/keys/approvals/${approvalId}?wait=2`),
      server.call('GET', `/emails/${emailId}?wait=2`, { key: token }),
    ];
    await server.call('GET', '/health', { key: null });
    const removedMs = performance.now();
    expect((await remove(member)).status).toBe(200);
    for (const stream of streams) await stream.ended();
    expect(performance.now() - removedMs).toBeLessThan(1_000);
    expectProblem(await member.call('GET', '/account'), 401, 'session_required');
    expectProblem(await server.call('GET', '/account', { key: token }), 401, 'session_required');
    expectProblem(await poll(unused.deviceCode), 400, 'device_code_expired');
    expectProblem(await confirm(member, unconfirmed.userCode), 401, 'session_required');
    expect([await status(link), await status(`${link}/html`), await post(link)]).toEqual([404, 404, 404]);
    for (const response of await Promise.all(waiting)) expectProblem(response, 401, 'session_required');
    const [key] = await server.database.sql`SELECT revoked_at FROM api_keys WHERE id = ${member.user.memberId}`;
    expect(key?.['revoked_at']).not.toBeNull();
    // Anyone who is invited again begins again: nothing of before comes back.
    const back = await joinAs(server, owner, 'admin', 'leaver@sandbox.test');
    expect(back.user.id).toBe(member.user.id);
    expect([await status(link), (await poll(unused.deviceCode)).status]).toEqual([404, 400]);
    expectProblem(await server.call('GET', '/account', { key: token }), 401, 'session_required');
  });

  it('cannot decide, even with such a role again, until a new sign-in and confirmation in the browser', async () => {
    const member = await joinAs(server, owner, 'approver', 'demoted@sandbox.test');
    const [used, unused] = [await start(), await start()];
    await confirm(member, used.userCode);
    const { token } = (await poll(used.deviceCode)).body;
    await confirm(member, unused.userCode);
    const link = await mailedLink(member);
    await change(member, 'viewer');
    const decide = (key: string) =>
      server.call('POST', `/keys/approvals/${approvalId}`, { key, body: { decision: 'reject', rejectCode: 'other' } });
    expectProblem(await decide(token), 403, 'missing_scope');
    expect([await status(link), await post(link)]).toEqual([404, 404]);
    expectProblem(await poll(unused.deviceCode), 400, 'device_code_expired');
    await change(member, 'approver');
    expectProblem(await decide(token), 403, 'missing_scope');
    expect([await status(link), await post(link)]).toEqual([404, 404]);
    expect((await member.call('GET', '/auth/session')).body.scopes).toContain('approvals:decide');
    // A role that decides all along keeps it.
    const next = await start();
    await confirm(member, next.userCode);
    const fresh = (await poll(next.deviceCode)).body.token;
    await change(member, 'admin');
    expect((await decide(fresh)).status).toBe(200);
  });
});
