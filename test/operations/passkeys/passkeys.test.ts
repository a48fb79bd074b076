import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { removePasskeysOf } from '../../../packages/server/src/auth/passkeys/own-passkeys.ts';
import { createIdGenerator } from '../../../packages/server/src/uuid-v7.ts';
import { runInProcess } from '../../cli/run-in-process.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { CERTIFIED, createPasskey } from '../../harness/passkey-authenticator.ts';
import { addPasskey, startRegistering } from '../../harness/passkeys.ts';
import { browserOf, joinAs, signInAs, type TestSession } from '../../harness/session.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('the passkeys of a user', { tags: ['sessions.passkeys'] }, () => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  beforeEach(async () => {
    await server.database.sql`DELETE FROM passkeys`;
    // A first passkey needs a session that has just started.
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  const list = async (by = owner) => (await by.call('GET', '/passkeys')).body.passkeys;
  const audited = async (by: TestSession, action: string) =>
    (await by.call('GET', `/audit?action=${action}`)).body.entries;
  const device = async () => {
    server.clock.advance(900_000); // Each has its own tries of codes.
    const { deviceCode, userCode } = (await server.call('POST', '/auth/device', { key: null })).body;
    await owner.call('POST', '/auth/device/confirm', { body: { userCode } });
    return (await server.call('POST', '/auth/device/token', { key: null, body: { deviceCode } })).body.token as string;
  };

  it('are added, listed, renamed and removed', async () => {
    const added = await addPasskey(server, owner, { name: 'Work laptop' });
    expect([added.status, added.headers.getSetCookie()]).toEqual([
      201,
      [expect.stringMatching(/^passkey=; Max-Age=0/)],
    ]);
    const { id } = added.body;
    const record = { id, name: 'Work laptop', backedUp: false, createdAt: expect.any(String), lastUsedAt: null };
    expect(added.body).toEqual(record);
    expect(await list()).toEqual([record]);
    const renamed = await owner.call('PATCH', `/passkeys/${id}`, { body: { name: 'Old laptop' } });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Old laptop']);
    expect((await owner.call('DELETE', `/passkeys/${id}`)).body).toEqual({ ...record, name: 'Old laptop' });
    expectProblem(await owner.call('DELETE', `/passkeys/${id}`), 404, 'not_found');
    expectProblem(await owner.call('PATCH', `/passkeys/${id}`, { body: { name: 'Gone' } }), 404, 'not_found');
    expectProblem(await owner.call('DELETE', '/passkeys/x'), 404, 'not_found');
    expect(await list()).toEqual([]);
  });

  it('are requested for this server and user, with a passkey that can be found without a name and verifies the user', async () => {
    await addPasskey(server, owner);
    const { options } = await startRegistering(owner, server.baseUrl);
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Postrider' },
      user: { id: Buffer.from(owner.user.id.replaceAll('-', ''), 'hex').toString('base64url'), name: owner.user.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ transports: ['internal'] }],
    });
  });

  it('are recorded in the audit log of each account that they open, also when they are removed', async () => {
    const there = await signInAs(server, 'founder@sandbox.test');
    await there.call('POST', '/team/invitations', { body: { email: 'owner@sandbox.test', role: 'viewer' } });
    owner = await signInAs(server, 'owner@sandbox.test');
    const { id } = (await addPasskey(server, owner)).body;
    await owner.call('DELETE', `/passkeys/${id}`);
    for (const action of ['passkey.added', 'passkey.removed']) {
      const [entry] = await audited(owner, action);
      expect(entry).toMatchObject({ actor: owner.user.memberId, targetId: id, details: { name: 'Laptop' } });
      const [foreign] = await audited(there, action);
      expect(foreign).toMatchObject({ targetId: id });
      expect(foreign.actor).not.toBe(owner.user.memberId);
    }
  });

  it('are removed by an operator for a user who has lost them, which the audit log records', {
    tags: ['passkeys.guards'],
  }, async () => {
    const { id } = (await addPasskey(server, owner)).body;
    const tools = { sql: server.database.sql, clock: server.clock, ids: createIdGenerator() };
    expect(await removePasskeysOf(tools, 'OWNER@sandbox.test')).toBe(1);
    expect(await removePasskeysOf(tools, 'nobody@sandbox.test')).toBe(0);
    owner = await signInAs(server, 'owner@sandbox.test');
    expect(await list()).toEqual([]);
    expect((await audited(owner, 'passkey.removed'))[0]).toMatchObject({ actor: 'operator', targetId: id });
    expect((await addPasskey(server, owner)).status).toBe(201);
  });

  it('belong to their user alone', async () => {
    const { id } = (await addPasskey(server, owner)).body;
    const admin = await joinAs(server, owner, 'admin');
    expect(await list(admin)).toEqual([]);
    expectProblem(await admin.call('PATCH', `/passkeys/${id}`, { body: { name: 'Mine' } }), 404, 'not_found');
    expectProblem(await admin.call('DELETE', `/passkeys/${id}`), 404, 'not_found');
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['Laptop']);
  });

  it('cannot be read or changed by a key, or by a page of another site', async () => {
    const { id } = (await addPasskey(server, owner)).body;
    const body = { name: 'Mine' };
    for (const [method, path, sent] of [
      ['GET', '/passkeys', {}],
      ['PATCH', '/passkeys/:id', { body }],
      ['DELETE', '/passkeys/:id', {}],
    ] as const) {
      const url = path.replace(':id', id);
      expectProblem(await server.call(method, url, { ...sent, key: server.key }), 401, 'session_required');
      if (method === 'GET') continue;
      const headers = { origin: 'https://evil.example' };
      expectProblem(await owner.call(method, url, { ...sent, headers }), 403, 'missing_scope');
    }
    expect((await list()).length).toBe(1);
  });

  it.each([
    ['', 'too_short'],
    ['x'.repeat(61), 'too_long'],
    [' Laptop', 'invalid_format'],
    ['Lap\ntop', 'forbidden_character'],
  ])('cannot be named %j', async (name, code) => {
    const { id } = (await addPasskey(server, owner)).body;
    const renamed = await owner.call('PATCH', `/passkeys/${id}`, { body: { name } });
    expectInvalid(renamed, ['name', code]);
    expectInvalid(await addPasskey(server, owner, { name }), ['name', code]);
  });

  it('are at most ten, also when several are added at once', async () => {
    for (let i = 0; i < 8; i++) expect((await addPasskey(server, owner)).status).toBe(201);
    const challenged = await Promise.all([0, 1, 2, 3].map(() => startRegistering(owner, server.baseUrl)));
    const added = await Promise.all(challenged.map((one) => addPasskey(server, owner, { challenged: one })));
    expect(added.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422]);
    const refused = await owner.call('POST', '/auth/passkeys/register/options', { body: {} });
    expectInvalid(refused, ['credential', 'too_many']);
    expect((await list()).length).toBe(10);
  });

  it('are added by the signed-in browser only: no key, no device, no other site', async () => {
    const passkey = createPasskey();
    const { options, cookie } = await startRegistering(owner, server.baseUrl);
    const credential = passkey.register(options, { origin: server.baseUrl });
    const own = { origin: server.baseUrl, cookie };
    const post = (path: string, key: string | null, headers: Readonly<Record<string, string>>) =>
      server.call('POST', path, { key, headers, body: { name: 'Mine', credential } });
    for (const path of ['/auth/passkeys/register', '/auth/passkeys/register/options']) {
      for (const key of [server.key, await device(), null]) {
        expectProblem(await post(path, key, own), 401, 'session_required');
      }
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: server.baseUrl, 'sec-fetch-site': 'cross-site' },
        { origin: server.baseUrl, 'sec-fetch-site': 'same-site' },
      ])
        expectProblem(
          await post(path, null, { ...headers, cookie: `${owner.cookie}; ${cookie}` }),
          403,
          'missing_scope',
        );
    }
    expect(await list()).toEqual([]);
  });

  it('are not added after the session has ended', async () => {
    const stolen = await signInAs(server, 'owner@sandbox.test');
    const challenged = await startRegistering(stolen, server.baseUrl);
    await server.database.sql`DELETE FROM sessions WHERE id != ALL (SELECT id FROM sessions ORDER BY id LIMIT 1)`;
    expectProblem(await addPasskey(server, stolen, { challenged }), 401, 'session_required');
    server.app.services.auth.sessions.forget();
    owner = await signInAs(server, 'owner@sandbox.test');
  });

  it('are added with a recent challenge of the same browser and user, once', {
    tags: ['sessions.passkey-challenges'],
  }, async () => {
    const refused = async (challenged: Awaited<ReturnType<typeof startRegistering>>, by = owner) =>
      expectProblem(await addPasskey(server, by, { challenged }), 404, 'not_found');
    const admin = await signInAs(server, 'admin@sandbox.test');
    const challenged = await startRegistering(owner, server.baseUrl);
    await refused({ ...challenged, cookie: 'passkey=' });
    await refused({ ...challenged, cookie: `passkey=${challenged.cookie.slice(-20)}` });
    await refused({ ...(await startRegistering(admin, server.baseUrl)), options: challenged.options });
    await refused(challenged, admin);
    expect((await addPasskey(server, owner, { challenged })).status).toBe(201);
    await refused(challenged);
    const old = await startRegistering(owner, server.baseUrl);
    server.clock.advance(300_000);
    await refused(old);
    expect((await list()).length).toBe(1);
  });

  it('are refused if the browser or the authenticator does not prove a new one for this server', {
    tags: ['sessions.passkey-refusals'],
  }, async () => {
    for (const signing of [
      { origin: 'https://evil.example' },
      { origin: server.baseUrl.replace(/:\d+$/, ':1') },
      { rpId: 'evil.example' },
      { isUserVerified: false },
      { type: 'webauthn.get' },
      { isFramed: true },
    ]) {
      expectInvalid(await addPasskey(server, owner, { signing }), ['credential', 'invalid_format']);
    }
    // Certificates of its maker are not requested, and would have to be checked.
    expectInvalid(await addPasskey(server, owner, { statement: CERTIFIED }), 'credential');
    const { passkey } = await addPasskey(server, owner);
    const admin = await signInAs(server, 'admin@sandbox.test');
    for (const by of [owner, admin]) expectProblem(await addPasskey(server, by, { passkey }), 409, 'already_exists');
    expect([(await list()).length, await list(admin)]).toEqual([1, []]);
  });

  it('reject bodies that are malformed or larger than 16 KB', async () => {
    const { cookie } = await startRegistering(owner, server.baseUrl);
    const post = (options: object) =>
      browserOf(server, `${owner.cookie}; ${cookie}`).call('POST', '/auth/passkeys/register', options);
    for (const body of [{}, { name: 'x' }, { name: 'x', credential: { id: 'a b', rawId: 1 } }, [], 'x'])
      expectProblem(await post({ body }), 422, 'validation_failed');
    expectProblem(await post({ rawBody: '{', headers: { 'content-type': 'application/json' } }), 400, 'invalid_json');
    expectProblem(await post({ body: { name: 'x'.repeat(17_000) } }), 413, 'payload_too_large');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expectProblem(await post({ rawBody: 'name=x', headers: form }), 415, 'unsupported_media_type');
    expectProblem(await owner.call('DELETE', '/auth/passkeys/register'), 405, 'method_not_allowed');
  });

  it('are managed on the command line', async () => {
    const { id } = (await addPasskey(server, owner, { name: 'Phone' })).body;
    const env = { POSTRIDER_BASE_URL: server.baseUrl, POSTRIDER_API_KEY: await device() };
    const run = async (...args: string[]) => await runInProcess([...args, '--json'], { env });
    expect(JSON.parse((await run('passkeys', 'list')).stdout)).toEqual({ passkeys: await list() });
    expect((await run('passkeys', 'rename', id, '--name', 'Old phone')).code).toBe(0);
    expect((await list())[0].name).toBe('Old phone');
    expect((await run('passkeys', 'remove', id)).code).toBe(0);
    expect(await list()).toEqual([]);
  });
});
