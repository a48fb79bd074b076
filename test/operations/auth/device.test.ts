import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { signInAs, type TestSession } from '../../harness/session.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('a device', () => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  const start = async () => (await server.call('POST', '/auth/device', { key: null })).body;
  const poll = (deviceCode: string) => server.call('POST', '/auth/device/token', { key: null, body: { deviceCode } });

  it('signs in once a user has confirmed its code', {
    tags: ['sessions.device', 'contract-errors.400-device'],
  }, async () => {
    const { status, body: device } = await server.call('POST', '/auth/device', { key: null });
    expect([status, device]).toEqual([
      200,
      {
        deviceCode: expect.stringMatching(/^[\w-]{43}$/),
        userCode: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
        verificationUrl: `${server.baseUrl}/auth/device`,
        expiresIn: 900,
        interval: 5,
      },
    ]);
    expectProblem(await poll(device.deviceCode), 400, 'authorization_pending');
    const typed = device.userCode.toLowerCase().replace('-', ' ');
    const confirmed = await owner.call('POST', '/auth/device/confirm', { body: { userCode: typed } });
    expect([confirmed.status, confirmed.body]).toEqual([200, { ok: true, approvals: false }]);
    expect((await owner.call('POST', '/auth/device/confirm', { body: { userCode: typed } })).status).toBe(200);
    const granted = await poll(device.deviceCode);
    expect(granted.body).toEqual({ token: expect.stringMatching(/^prs_[\w-]{43}$/), expiresAt: expect.any(String) });
    const { token } = granted.body;
    expect((await server.call('GET', '/auth/session', { key: token })).body).toMatchObject({ user: { role: 'owner' } });
    // No Origin is asked of a bearer token: no page can make a browser send one.
    expect((await server.call('POST', '/account/pause', { key: token })).status).toBe(200);
    expect((await server.call('POST', '/account/resume', { key: token })).status).toBe(200);
    expectProblem(await poll(device.deviceCode), 400, 'device_code_expired');
    expect((await server.call('POST', '/auth/logout', { key: token })).status).toBe(204);
    expectProblem(await server.call('GET', '/account', { key: token }), 401, 'session_required');
  });

  it('gets its token once, however often it is requested in parallel', async () => {
    const { deviceCode, userCode } = await start();
    await owner.call('POST', '/auth/device/confirm', { body: { userCode } });
    const responses = await Promise.all(Array.from({ length: 20 }, () => poll(deviceCode)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('gets slow_down, and the interval grows', { tags: ['contract-errors.400-device'] }, async () => {
    const { deviceCode } = await start();
    expectProblem(await poll(deviceCode), 400, 'authorization_pending');
    const early = await poll(deviceCode);
    expectProblem(early, 400, 'slow_down');
    expect(early.headers.get('retry-after')).toBe('10');
    server.clock.advance(6_000);
    expectProblem(await poll(deviceCode), 400, 'slow_down');
    server.clock.advance(15_000);
    expectProblem(await poll(deviceCode), 400, 'authorization_pending');
  });

  it('is too late after a quarter of an hour, and unknown when its code was invented', async () => {
    const { deviceCode, userCode } = await start();
    server.clock.advance(900_000);
    expectProblem(await poll(deviceCode), 400, 'device_code_expired');
    expectProblem(await poll('made-up'), 400, 'device_code_expired');
    expectProblem(await owner.call('POST', '/auth/device/confirm', { body: { userCode } }), 400, 'device_code_expired');
    for (const wrong of ['BBBB-BBBB', 'x', '----', "' OR 1=1"])
      expectProblem(await owner.call('POST', '/auth/device/confirm', { body: { userCode: wrong } }), 404, 'not_found');
    expectInvalid(await owner.call('POST', '/auth/device/confirm', { body: {} }), 'userCode');
  });

  it('is confirmed by the first user alone', async () => {
    const { deviceCode, userCode } = await start();
    const thief = await signInAs(server, 'thief@sandbox.test');
    await owner.call('POST', '/auth/device/confirm', { body: { userCode } });
    expectProblem(await thief.call('POST', '/auth/device/confirm', { body: { userCode } }), 404, 'not_found');
    const { token } = (await poll(deviceCode)).body;
    expect((await server.call('GET', '/auth/session', { key: token })).body.user.email).toBe('owner@sandbox.test');
  });

  it('is allowed or denied on a page where the user types the code, after signing in', {
    tags: ['sessions.device', 'holes.device-consent'],
  }, async () => {
    const client = 'Postrider CLI 9.9 on <b>ada</b>-laptop';
    const { deviceCode, userCode } = (await server.call('POST', '/auth/device', { key: null, body: { client } })).body;
    const sent = await server.call('GET', `/auth/device?user_code=${userCode}`, { key: null });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/auth/sign-in?next=%2Fauth%2Fdevice']);
    // A link cannot fill the code in: the page asks for it, and shows no button that would allow anything.
    const page = (await owner.call('GET', `/auth/device?user_code=${userCode}`)).body;
    expect(page).toContain('name="user_code"');
    expect(page).not.toContain(userCode);
    expect(page).not.toContain('value="confirm"');
    const post = (path: string, rawBody: string, headers = {}) =>
      owner.call('POST', path, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        rawBody,
      });
    const foreign = { origin: 'https://evil.example' };
    for (const path of ['/auth/device/code', '/auth/device/decision'])
      expectProblem(await post(path, `user_code=${userCode}&decision=confirm`, foreign), 403, 'missing_scope');
    const question = (await post('/auth/device/code', `user_code=${userCode.toLowerCase()}`)).body;
    expect(question).toContain('Postrider CLI 9.9 on &lt;b&gt;ada&lt;/b&gt;-laptop');
    expect(question).toContain('The program reports this name itself.');
    expect(question).toContain('127.0.0.1');
    expect(question).toContain('just now');
    expect(question).toMatch(/Until <time [^>]+>\w{3} \d+, \d{4}, \d\d:\d\d UTC<\/time> at the latest/);
    expect(question).toContain('someone may be trying to use your account');
    expect(question).toMatch(/<input id="approvals" type="checkbox" name="approvals" value="yes"(?![^>]*checked)/);
    expectProblem(await poll(deviceCode), 400, 'authorization_pending');
    const decide = (decision: string, code = userCode) =>
      post('/auth/device/decision', `user_code=${code}&account=${owner.account.id}&decision=${decision}`);
    expect((await decide('deny')).body).toContain('The sign-in is rejected');
    expectProblem(await poll(deviceCode), 400, 'device_code_expired');
    expect((await decide('confirm')).status).toBe(404);
    const next = await start();
    expect((await decide('confirm', next.userCode)).body).toContain('cannot approve or reject held sends');
    expect((await poll(next.deviceCode)).status).toBe(200);
    expect((await post('/auth/device/code', 'user_code=BBBB-BBBB')).status).toBe(404);
  });

  it('is not confirmed in another account than the page showed', async () => {
    const { deviceCode, userCode } = await start();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const rawBody = `user_code=${userCode}&decision=confirm&account=0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a`;
    expect((await owner.call('POST', '/auth/device/decision', { headers, rawBody })).status).toBe(409);
    expectProblem(await poll(deviceCode), 400, 'authorization_pending');
  });

  it('is described by its own name, otherwise its User-Agent, without control characters', async () => {
    const shown = async (options: { body?: unknown; headers?: Record<string, string> }) => {
      const { body } = await server.call('POST', '/auth/device', { key: null, ...options });
      const [row] = await server.database.sql`SELECT client FROM device_codes WHERE user_code = ${body.userCode}`;
      return row?.['client'];
    };
    expect(await shown({ body: { client: 'Tool 1' }, headers: { 'user-agent': 'agent' } })).toBe('Tool 1');
    expect(await shown({ headers: { 'user-agent': `agent ${'x'.repeat(200)}` } })).toBe(`agent ${'x'.repeat(94)}`);
    expect(await shown({ headers: { 'user-agent': ' ' } })).toBe('an unnamed program');
    const call = (client: unknown) => server.call('POST', '/auth/device', { key: null, body: { client } });
    expectInvalid(await call('a\nb'), ['client', 'forbidden_character']);
    expectInvalid(await call('a\u202eb'), ['client', 'forbidden_character']);
    expectInvalid(await call(' a'), ['client', 'invalid_format']);
    expectInvalid(await call('x'.repeat(101)), 'client');
    expectInvalid(await call(''), 'client');
  });

  it('appears in the session, and in the audit log with its address', async () => {
    const { deviceCode, userCode } = (
      await server.call('POST', '/auth/device', { key: null, body: { client: 'Logged' } })
    ).body;
    const confirmed = await owner.call('POST', '/auth/device/confirm', { body: { userCode, approvals: true } });
    expect(confirmed.body).toEqual({ ok: true, approvals: true });
    const { token } = (await poll(deviceCode)).body;
    const { body: session } = await server.call('GET', '/auth/session', { key: token });
    expect(session.device).toEqual({ client: 'Logged', approvals: true });
    expect(session.scopes).toContain('approvals:decide');
    const browser = (await owner.call('GET', '/auth/session')).body;
    expect([browser.device, browser.scopes]).toEqual([null, session.scopes]);
    const [entry] = (await owner.call('GET', '/audit?action=session.started')).body.entries;
    expect(entry.details).toEqual({ how: 'device', client: 'Logged', address: '127.0.0.1', approvals: true });
  });
});
