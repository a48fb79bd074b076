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

  it('signs in once a person has confirmed its code [sessions.device] [contract-errors.400-device]', async () => {
    const { status, body: device } = await server.call('POST', '/auth/device', { key: null });
    expect([status, device]).toEqual([
      200,
      {
        deviceCode: expect.stringMatching(/^[\w-]{43}$/),
        userCode: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
        verificationUrl: `${server.baseUrl}/auth/device?user_code=${device.userCode}`,
        expiresIn: 900,
        interval: 5,
      },
    ]);
    expectProblem(await poll(device.deviceCode), 400, 'authorization_pending');
    const typed = device.userCode.toLowerCase().replace('-', ' ');
    const confirmed = await owner.call('POST', '/auth/device/confirm', { body: { userCode: typed } });
    expect([confirmed.status, confirmed.body]).toEqual([200, { ok: true }]);
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

  it('gives its token out once, however often it is asked for at once', async () => {
    const { deviceCode, userCode } = await start();
    await owner.call('POST', '/auth/device/confirm', { body: { userCode } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(deviceCode)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is told to slow down, and the interval grows [contract-errors.400-device]', async () => {
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

  it('is too late after a quarter of an hour, and unknown where its code was made up', async () => {
    const { deviceCode, userCode } = await start();
    server.clock.advance(900_000);
    expectProblem(await poll(deviceCode), 400, 'device_code_expired');
    expectProblem(await poll('made-up'), 400, 'device_code_expired');
    expectProblem(await owner.call('POST', '/auth/device/confirm', { body: { userCode } }), 400, 'device_code_expired');
    for (const wrong of ['BBBB-BBBB', 'x', '----', "' OR 1=1"])
      expectProblem(await owner.call('POST', '/auth/device/confirm', { body: { userCode: wrong } }), 404, 'not_found');
    expectInvalid(await owner.call('POST', '/auth/device/confirm', { body: {} }), 'userCode');
  });

  it('is confirmed by the first person alone', async () => {
    const { deviceCode, userCode } = await start();
    const thief = await signInAs(server, 'thief@sandbox.test');
    await owner.call('POST', '/auth/device/confirm', { body: { userCode } });
    expectProblem(await thief.call('POST', '/auth/device/confirm', { body: { userCode } }), 404, 'not_found');
    const { token } = (await poll(deviceCode)).body;
    expect((await server.call('GET', '/auth/session', { key: token })).body.user.email).toBe('owner@sandbox.test');
  });

  it('is confirmed or turned down on a page, after signing in [sessions.device]', async () => {
    const { deviceCode, userCode } = await start();
    const sent = await server.call('GET', `/auth/device?user_code=${userCode}`, { key: null });
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      `/auth/sign-in?next=${encodeURIComponent(`/auth/device?user_code=${userCode}`)}`,
    ]);
    const page = await owner.call('GET', `/auth/device?user_code=${userCode.toLowerCase()}`);
    expect(page.body).toContain(`<p class="code">${userCode}</p>`);
    expect((await owner.call('GET', '/auth/device')).body).toContain('name="user_code"');
    expectProblem(await poll(deviceCode), 400, 'authorization_pending');
    const decide = (decision: string, headers = {}) =>
      owner.call('POST', '/auth/device/decision', {
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        rawBody: `user_code=${userCode}&decision=${decision}`,
      });
    expectProblem(await decide('confirm', { origin: 'https://evil.example' }), 403, 'missing_scope');
    expect((await decide('deny')).body).toContain('turned down');
    expectProblem(await poll(deviceCode), 400, 'device_code_expired');
    expect((await decide('confirm')).status).toBe(404);
    const next = await start();
    const rawBody = `user_code=${next.userCode}&decision=confirm`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await owner.call('POST', '/auth/device/decision', { headers, rawBody })).body).toContain('is signed in');
    expect((await poll(next.deviceCode)).status).toBe(200);
  });
});
