import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { holdingKey } from '../../approvals/approving.ts';
import { runInProcess } from '../../cli/run-in-process.ts';
import { expectProblem } from '../../harness/expect-problem.ts';
import { browserOf, cookieOf, joinAs, signInAs, type TestSession } from '../../harness/session.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const DAY_MS = 86_400_000;

interface Listed {
  readonly id: string;
  readonly kind: string;
  readonly current: boolean;
  readonly client: string | null;
}

describe('the sessions of a user', () => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_TRUSTED_PROXIES: '127.0.0.1' } });
  });
  beforeEach(async () => {
    await server.database.sql`DELETE FROM sessions`;
    server.app.services.auth.sessions.forget();
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  /** A device that the owner has confirmed; its token, where it has fetched it. */
  async function device(fetches = true): Promise<{ readonly token: string; readonly deviceCode: string }> {
    server.clock.advance(900_000); // Each has its own tries of codes.
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    const body = { client: 'Postrider CLI on ada-laptop' };
    const { deviceCode, userCode } = (await server.call('POST', '/auth/device', { key: null, headers, body })).body;
    await owner.call('POST', '/auth/device/confirm', { body: { userCode } });
    const token = fetches ? (await poll(deviceCode)).body.token : '';
    return { token, deviceCode };
  }
  const poll = (deviceCode: string) => server.call('POST', '/auth/device/token', { key: null, body: { deviceCode } });
  const list = async (by = owner) => (await by.call('GET', '/auth/sessions')).body.sessions as readonly Listed[];
  const currentOf = async (by: TestSession) => (await list(by)).find(({ current }) => current)?.id ?? '';
  const isLive = async (by: TestSession) => (await by.call('GET', '/auth/session')).body.authenticated;
  const isTokenLive = async (key: string) => (await server.call('GET', '/auth/session', { key })).body.authenticated;

  it('are listed with program, address and times, the current one marked, and only the user’s own', {
    tags: ['holes.own-sessions'],
  }, async () => {
    const other = await server.call('POST', '/dev/session', {
      key: null,
      headers: { 'user-agent': 'Firefox/130', 'x-forwarded-for': '203.0.113.5' },
      body: { email: 'owner@sandbox.test' },
    });
    const { token } = await device();
    await joinAs(server, owner, 'admin');
    const { status, body } = await owner.call('GET', '/auth/sessions');
    expect([status, body.total, body.sessions.length]).toEqual([200, 3, 3]);
    const account = { id: server.accountId, name: 'Acme' };
    expect(body.sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'browser', current: true, address: '127.0.0.1', approvals: true, account }),
        expect.objectContaining({ kind: 'browser', current: false, client: 'Firefox/130', address: '203.0.113.5' }),
        expect.objectContaining({
          ...{ kind: 'device', client: 'Postrider CLI on ada-laptop', address: '198.51.100.7', approvals: false },
        }),
      ]),
    );
    const names = ['id', 'kind', 'client', 'address', 'account', 'approvals', 'createdAt', 'lastUsedAt', 'expiresAt'];
    for (const session of body.sessions) {
      expect(Object.keys(session)).toEqual([...names, 'current']);
      expect(Date.parse(session.expiresAt) - Date.parse(session.lastUsedAt)).toBe(7 * DAY_MS);
    }
    expect(JSON.stringify(body)).not.toMatch(/prs_|hash/i);
    expect((await server.call('GET', '/auth/sessions', { key: token })).body.total).toBe(3);
    expect((await browserOf(server, cookieOf(other, 'session')).call('GET', '/auth/sessions')).body.total).toBe(3);
    server.clock.advance(7 * DAY_MS + 1);
    expect((await list(await signInAs(server, 'owner@sandbox.test'))).map(({ current }) => current)).toEqual([true]);
  });

  it('end one by one, on every process within a second, and the account’s audit log names the actor', {
    tags: ['holes.own-sessions'],
  }, async () => {
    const stolen = await signInAs(server, 'owner@sandbox.test');
    const other = await startTestApp({ database: server.database });
    expect((await other.call('GET', '/account', { key: null, headers: { cookie: stolen.cookie } })).status).toBe(200);
    const id = await currentOf(stolen);
    const { status, body } = await owner.call('DELETE', `/auth/sessions/${id}`);
    expect([status, body]).toEqual([200, expect.objectContaining({ id, kind: 'browser', current: false })]);
    expect(await isLive(stolen)).toBe(false);
    const there = async () =>
      (await other.call('GET', '/account', { key: null, headers: { cookie: stolen.cookie } })).status;
    await expect.poll(there, { timeout: 1_500, interval: 50 }).toBe(401);
    await other.close();
    expect(await isLive(owner)).toBe(true);
    const [entry] = (await owner.call('GET', '/audit?action=session.ended')).body.entries;
    const bySession = await currentOf(owner);
    expect(entry).toMatchObject({ actor: owner.user.memberId, targetId: id, details: { bySession } });
    expectProblem(await owner.call('DELETE', `/auth/sessions/${id}`), 404, 'not_found');
  });

  it('are ended by their user alone, from a page of this server, and by no key', {
    tags: ['holes.own-sessions'],
  }, async () => {
    const admin = await joinAs(server, owner, 'admin', 'other-admin@sandbox.test');
    const id = await currentOf(owner);
    expectProblem(await admin.call('DELETE', `/auth/sessions/${id}`), 404, 'not_found');
    expectProblem(await admin.call('DELETE', '/auth/sessions/x'), 404, 'not_found');
    expect((await admin.call('DELETE', '/auth/sessions')).body).toEqual({ ended: 0 });
    const foreign = { headers: { origin: 'https://evil.example' } };
    expectProblem(await owner.call('DELETE', `/auth/sessions/${id}`, foreign), 403, 'missing_scope');
    expectProblem(await owner.call('DELETE', '/auth/sessions', foreign), 403, 'missing_scope');
    const { key: held } = await holdingKey(server);
    for (const key of [server.key, held]) {
      for (const [method, path] of [
        ['GET', '/auth/sessions'],
        ['DELETE', `/auth/sessions/${id}`],
        ['DELETE', '/auth/sessions'],
      ] as const)
        expectProblem(await server.call(method, path, { key }), 401, 'session_required');
    }
    expect([await isLive(owner), await isLive(admin)]).toEqual([true, true]);
  });

  it('end all but one, with the devices that have not fetched their token', async () => {
    const browser = await signInAs(server, 'owner@sandbox.test');
    const { token } = await device();
    const { deviceCode } = await device(false);
    expect((await owner.call('DELETE', '/auth/sessions')).body).toEqual({ ended: 2 });
    expect([await isLive(browser), await isTokenLive(token), await isLive(owner)]).toEqual([false, false, true]);
    expectProblem(await poll(deviceCode), 400, 'device_code_expired');
    expect((await list()).map(({ current }) => current)).toEqual([true]);
  });

  it('of a browser cannot be ended by a device, which could otherwise sign its user out permanently', {
    tags: ['holes.own-sessions'],
  }, async () => {
    const [one, two] = [await device(), await device()];
    const refused = await server.call('DELETE', `/auth/sessions/${await currentOf(owner)}`, { key: one.token });
    expectProblem(refused, 403, 'permission_escalation');
    expect((await server.call('DELETE', '/auth/sessions', { key: one.token })).body).toEqual({ ended: 1 });
    expect([await isTokenLive(one.token), await isTokenLive(two.token), await isLive(owner)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('are methods of the SDK and commands of the command line', async () => {
    const [one, two] = [await device(), await device()];
    const { sessions: own } = new Postrider({ apiKey: one.token, baseUrl: server.baseUrl });
    const { sessions } = await own.list();
    expect(sessions.map(({ kind }) => kind).toSorted()).toEqual(['browser', 'device', 'device']);
    const env = { POSTRIDER_BASE_URL: server.baseUrl, POSTRIDER_API_KEY: one.token };
    const shown = await runInProcess(['sessions', 'list', '--json'], { env });
    expect({ code: shown.code, total: JSON.parse(shown.stdout).total }).toEqual({ code: 0, total: 3 });
    const id = sessions.find(({ kind, current }) => kind === 'device' && !current)?.id ?? '';
    expect((await runInProcess(['sessions', 'end', id, '--json'], { env })).code).toBe(0);
    expect(await isTokenLive(two.token)).toBe(false);
    expect(await own.endOthers()).toEqual({ ended: 0 });
  });
});
