import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../approvals/approving.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** What someone gets who talks an owner into confirming their device, and how far they come with it. */
describe('a device session without deciding', () => {
  let server: TestApp;
  let owner: TestSession;
  let token: string;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
    token = await deviceToken(owner);
  });
  afterAll(() => server.close());

  async function deviceToken(by: TestSession, consent: { readonly approvals?: boolean } = {}): Promise<string> {
    server.clock.advance(900_000); // Each test has its own tries of codes.
    const { deviceCode, userCode } = (await server.call('POST', '/auth/device', { key: null })).body;
    const confirmed = await by.call('POST', '/auth/device/confirm', { body: { userCode, ...consent } });
    if (confirmed.status !== 200) throw new Error(JSON.stringify(confirmed.body));
    return (await server.call('POST', '/auth/device/token', { key: null, body: { deviceCode } })).body.token;
  }
  const call = (method: string, path: string, body?: unknown, key = token) =>
    server.call(method, path, { key, ...(body === undefined ? {} : { body }) });

  async function held(): Promise<string> {
    const { key } = await holdingKey(server);
    const body = { from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hold me', text: 'x' };
    return (await server.call('POST', '/emails', { key, body })).body.approvalId;
  }

  it('reads held sends, decides none, and says how to sign in to decide', {
    tags: ['holes.device-consent'],
  }, async () => {
    const id = await held();
    expect((await call('GET', `/keys/approvals/${id}`)).status).toBe(200);
    const attempts = [
      await call('POST', `/keys/approvals/${id}`, { decision: 'approve' }),
      await call('POST', `/keys/approvals/${id}`, { decision: 'reject', rejectCode: 'other' }),
      await call('POST', '/keys/approvals', { ids: [id], decision: 'approve' }),
    ];
    for (const refused of attempts) {
      expectProblem(refused, 403, 'missing_scope');
      expect(refused.body.fix).toContain('tick “Approve and reject held sends”');
    }
    // The page of a held send is for browsers: a bearer token is no one there.
    const page = await call('GET', `/approvals/open/${id}`);
    expect([page.status, page.headers.get('location')]).toEqual([303, expect.stringContaining('/auth/sign-in')]);
    // Over MCP no one decides, and a session is no key.
    expectProblem(await call('POST', '/mcp?toolsets=approvals', {}), 401, 'missing_key');
    expect((await owner.call('GET', `/keys/approvals/${id}`)).body.status).toBe('pending');
  });

  it('cannot create or change a key that decides, nor let a key send more than before without approval', {
    tags: ['holes.device-consent'],
  }, async () => {
    const escalates = (response: Awaited<ReturnType<typeof call>>) =>
      expectProblem(response, 403, 'permission_escalation');
    const make = (fields: object, key = token) => call('POST', '/keys', { name: 'x', ...fields }, key);
    escalates(await make({ scopes: ['approvals:decide'] }));
    escalates(await make({ scopes: ['full', 'approvals:decide'] }));
    const decider = (
      await owner.call('POST', '/keys', {
        body: { name: 'd', scopes: ['approvals:decide'], ipAllowlist: ['10.0.0.0/8'] },
      })
    ).body;
    escalates(await call('POST', `/keys/${decider.id}/rotate`));
    escalates(await call('PATCH', `/keys/${decider.id}`, { ipAllowlist: null }));
    escalates(await call('PATCH', `/keys/${decider.id}`, { ipAllowlist: ['10.0.0.0/8', '127.0.0.0/8'] }));
    expect((await call('PATCH', `/keys/${decider.id}`, { ipAllowlist: ['10.1.0.0/16'] })).status).toBe(200);
    const holdWhen = { firstContact: true, hasBcc: true };
    const agent = (
      await owner.call('POST', '/keys', { body: { name: 'a', scopes: ['sending'], approvalMode: 'always' } })
    ).body;
    const rules = (
      await owner.call('POST', '/keys', { body: { name: 'r', scopes: ['sending'], approvalMode: 'policy', holdWhen } })
    ).body;
    escalates(await call('PATCH', `/keys/${agent.id}`, { approvalMode: 'off' }));
    escalates(await call('PATCH', `/keys/${agent.id}`, { approvalMode: 'policy', holdWhen: { hasBcc: true } }));
    escalates(
      await call('PATCH', `/keys/${agent.id}`, { scopes: ['sending', 'approvals:decide'], approvalMode: 'off' }),
    );
    escalates(await call('PATCH', `/keys/${rules.id}`, { holdWhen: { hasBcc: true } }));
    escalates(await call('PATCH', `/keys/${rules.id}`, { approvalMode: 'off' }));
    expect((await call('PATCH', `/keys/${rules.id}`, { approvalMode: 'always' })).status).toBe(200);
    // Nor do the keys that it makes.
    const helper = (await make({ scopes: ['full'], rateLimit: 1_000 })).body.key;
    const loosened = { approvalMode: 'policy', holdWhen };
    escalates(await call('PATCH', `/keys/${rules.id}`, loosened, helper));
    escalates(await call('PATCH', `/keys/${agent.id}`, { approvalMode: 'off' }, helper));
    escalates(await make({ scopes: ['approvals:decide'] }, helper));
    // The owner in a browser may, and so may a device that was allowed to.
    expect((await owner.call('PATCH', `/keys/${rules.id}`, { body: { approvalMode: 'off' } })).status).toBe(200);
    const allowed = await deviceToken(owner, { approvals: true });
    expect((await call('PATCH', `/keys/${agent.id}`, { approvalMode: 'off' }, allowed)).status).toBe(200);
    expect((await make({ scopes: ['approvals:decide'] }, allowed)).status).toBe(201);
  });

  it('cannot create or remove a member who decides', { tags: ['holes.device-consent'] }, async () => {
    const helper = (await call('POST', '/keys', { name: 'x', scopes: ['full'], rateLimit: 1_000 })).body.key;
    const viewer = await joinAs(server, owner, 'viewer', 'v@sandbox.test');
    const approver = await joinAs(server, owner, 'approver', 'a@sandbox.test');
    for (const key of [token, helper]) {
      for (const role of ['owner', 'admin', 'approver']) {
        const invited = await call('POST', '/team/invitations', { email: 'evil@sandbox.test', role }, key);
        expectProblem(invited, 403, 'permission_escalation');
        const changed = await call('PATCH', `/team/${viewer.user.memberId}`, { role }, key);
        expectProblem(changed, 403, 'permission_escalation');
      }
      expectProblem(
        await call('DELETE', `/team/${approver.user.memberId}`, undefined, key),
        403,
        'permission_escalation',
      );
    }
    expect((await call('PATCH', `/team/${viewer.user.memberId}`, { role: 'developer' })).status).toBe(200);
    // A developer that it added cannot disable approvals either.
    const agent = (
      await owner.call('POST', '/keys', { body: { name: 'a', scopes: ['sending'], approvalMode: 'always' } })
    ).body;
    const loosened = await viewer.call('PATCH', `/keys/${agent.id}`, { body: { approvalMode: 'off' } });
    expectProblem(loosened, 403, 'permission_escalation');
  });

  it('cannot loosen a hold through a key, as no developer can: that needs a key that decides', {
    tags: ['holes.loosened-holds'],
  }, async () => {
    const developer = await joinAs(server, owner, 'developer', 'minter@sandbox.test');
    const make = async (fields: object) =>
      (await owner.call('POST', '/keys', { body: { name: 'Held', scopes: ['sending'], ...fields } })).body;
    const always = await make({ approvalMode: 'always' });
    const rules = await make({ approvalMode: 'policy', holdWhen: { hasBcc: true, firstContact: true } });
    const body = { name: 'Mine', scopes: ['keys:write', 'sending'] };
    const minted = [
      (await developer.call('POST', '/keys', { body })).body.key,
      (await call('POST', '/keys', body)).body.key,
      server.key,
    ];
    for (const key of minted) {
      for (const [id, changes] of [
        [always.id, { approvalMode: 'off' }],
        [always.id, { approvalMode: 'policy', holdWhen: { hasBcc: true } }],
        [rules.id, { holdWhen: { hasBcc: true } }],
        [rules.id, { holdWhen: {} }],
        [rules.id, { approvalMode: 'off' }],
      ] as const) {
        const refused = await server.call('PATCH', `/keys/${id}`, { key, body: changes });
        expectProblem(refused, 403, 'permission_escalation');
      }
      const tightened = await server.call('PATCH', `/keys/${rules.id}`, { key, body: { rateLimit: 10 } });
      expect(tightened.status).toBe(200);
    }
    const decider = (await make({ scopes: ['sending', 'keys:write', 'approvals:decide'] })).key;
    const loosened = { key: decider, body: { holdWhen: { hasBcc: true } } };
    expect((await server.call('PATCH', `/keys/${rules.id}`, loosened)).status).toBe(200);
  });

  it('cannot sign in another device, whatever its own rights', { tags: ['holes.device-consent'] }, async () => {
    for (const key of [token, await deviceToken(owner, { approvals: true })]) {
      const { deviceCode, userCode } = (await server.call('POST', '/auth/device', { key: null })).body;
      const confirmed = await call('POST', '/auth/device/confirm', { userCode, approvals: true }, key);
      expectProblem(confirmed, 403, 'permission_escalation');
      expect(confirmed.body.fix).toContain(`${server.baseUrl}/auth/device`);
      // Its pages know no bearer tokens.
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.baseUrl };
      const rawBody = `user_code=${userCode}&decision=confirm&approvals=yes&account=${owner.account.id}`;
      expect((await server.call('POST', '/auth/device/decision', { key, headers, rawBody })).status).toBe(303);
      const cookie = { cookie: `session=${key}`, origin: server.baseUrl };
      const body = { userCode, approvals: true };
      const posed = await server.call('POST', '/auth/device/confirm', { key: null, headers: cookie, body });
      expectProblem(posed, 401, 'session_required');
      const polled = await server.call('POST', '/auth/device/token', { key: null, body: { deviceCode } });
      expectProblem(polled, 400, 'authorization_pending');
    }
  });

  it('does not decide in another account, and loses what was allowed in one account when it switches', {
    tags: ['holes.device-consent'],
  }, async () => {
    const other = await signInAs(server, 'second@sandbox.test');
    const invited = await other.call('POST', '/team/invitations', {
      body: { email: 'owner@sandbox.test', role: 'owner' },
    });
    expect(invited.status).toBe(201);
    const back = await signInAs(server, 'owner@sandbox.test');
    const allowed = await deviceToken(back, { approvals: true });
    const mayDecide = (response: { body: { scopes: string[] } }) => response.body.scopes.includes('approvals:decide');
    const move = (accountId: string, key: string) => call('PATCH', '/auth/session', { accountId }, key);
    expect(mayDecide(await move(back.account.id, allowed))).toBe(true);
    const moves = [await move(other.account.id, token), await move(other.account.id, allowed)];
    expect(moves.map(mayDecide)).toEqual([false, false]);
    expect(mayDecide(await move(back.account.id, allowed))).toBe(false);
    expect(mayDecide(await back.call('PATCH', '/auth/session', { body: { accountId: other.account.id } }))).toBe(true);
    await move(owner.account.id, token);
  });

  it('gains nothing from a second confirmation, nor from a role that does not decide', {
    tags: ['holes.device-consent'],
  }, async () => {
    server.clock.advance(900_000);
    const { deviceCode, userCode } = (await server.call('POST', '/auth/device', { key: null })).body;
    const confirm = (approvals: boolean, by = owner) =>
      by.call('POST', '/auth/device/confirm', { body: { userCode, approvals } });
    const developer = await joinAs(server, owner, 'developer', 'dev@sandbox.test');
    expectProblem(await confirm(true, developer), 403, 'permission_escalation');
    expect((await confirm(false)).body).toEqual({ ok: true, approvals: false });
    expect((await confirm(true)).body).toEqual({ ok: true, approvals: false });
    const { token: got } = (await server.call('POST', '/auth/device/token', { key: null, body: { deviceCode } })).body;
    expect((await call('GET', '/auth/session', undefined, got)).body.device.approvals).toBe(false);
    expectProblem(await confirm(true), 404, 'not_found');
  });

  it('cannot be guessed: a user has 20 attempts in 15 minutes, over the API and on the page together', async () => {
    const guesser = await signInAs(server, 'guesser@sandbox.test');
    const guess = (userCode: string) => guesser.call('POST', '/auth/device/confirm', { body: { userCode } });
    for (let tries = 0; tries < 20; tries += 1) expect((await guess('BBBB-BBBB')).status).toBe(404);
    const refused = await guess('BBBB-BBBC');
    expectProblem(refused, 429, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    // The right code is refused like every other.
    const { userCode } = (await server.call('POST', '/auth/device', { key: null })).body;
    expectProblem(await guess(userCode), 429, 'rate_limited');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const page = await guesser.call('POST', '/auth/device/code', { headers, rawBody: `user_code=${userCode}` });
    expect([page.status, page.body]).toEqual([429, expect.stringContaining('Too many device codes')]);
    expect(page.body).not.toContain(userCode);
    expect((await owner.call('POST', '/auth/device/confirm', { body: { userCode } })).status).toBe(200);
    server.clock.advance(900_000);
    expect((await guess('BBBB-BBBB')).status).toBe(404);
  });

  it('cannot be guessed from one address by many users: 100 attempts in 15 minutes', async () => {
    server.clock.advance(900_000);
    const users = await Promise.all(Array.from({ length: 6 }, (_, i) => signInAs(server, `crowd${i}@sandbox.test`)));
    const statuses: number[] = [];
    for (const user of users) {
      for (let tries = 0; tries < 20; tries += 1) {
        const response = await user.call('POST', '/auth/device/confirm', { body: { userCode: 'BBBB-BBBB' } });
        statuses.push(response.status);
      }
    }
    expect(statuses.filter((status) => status === 404)).toHaveLength(100);
    expect(statuses.slice(100).every((status) => status === 429)).toBe(true);
    server.clock.advance(900_000);
  });
});

describe('the code of a device', () => {
  it('cannot be guessed through several processes either: they share one count', {
    tags: ['holes.device-consent'],
  }, async () => {
    const server = await startTestApp();
    const other = await startTestApp({ database: server.database });
    const guessers = await Promise.all([server, other].map((each) => signInAs(each, 'spread@sandbox.test')));
    const guess = () =>
      guessers.map((each) => each.call('POST', '/auth/device/confirm', { body: { userCode: 'BBBB-BBBB' } }));
    // At once, so that two also ask for the last one.
    const statuses = (await Promise.all(Array.from({ length: 12 }, guess).flat())).map(({ status }) => status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    await other.close();
    await server.close();
  });
});
