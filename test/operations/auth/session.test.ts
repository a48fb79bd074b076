import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSameOriginRequest, toLocalPath } from '../../../packages/server/src/auth/client-info.ts';
import { createCookieJar } from '../../../packages/server/src/auth/cookies.ts';
import { sessionHorizons } from '../../../packages/server/src/auth/session-lifetime.ts';
import { hashToken } from '../../../packages/server/src/auth/session-token.ts';
import { purgeSignIns } from '../../../packages/server/src/db/queries/sessions.ts';
import { forgetUnseated } from '../../../packages/server/src/db/queries/users.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { browserOf, signInAs, type TestSession } from '../../harness/session.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const DAY_MS = 86_400_000;
const SIGNED_OUT = { authenticated: false, user: null, account: null, scopes: null, device: null, expiresAt: null };

describe('a session', () => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  it('says who is signed in, and nulls to everyone else', {
    tags: ['sessions.read-and-logout', 'sessions.endpoints', 'authentication.sessions'],
  }, async () => {
    const { status, body } = await owner.call('GET', '/auth/session');
    const names = ['authenticated', 'user', 'account', 'scopes', 'device', 'expiresAt'];
    expect([status, Object.keys(body)]).toEqual([200, names]);
    expect(body).toMatchObject({
      authenticated: true,
      user: { email: 'owner@sandbox.test', role: 'owner', name: null },
    });
    expect(body.account).toEqual({ id: server.accountId, name: 'Acme' });
    expect(Date.parse(body.expiresAt) - server.clock.now().getTime()).toBeGreaterThan(6.9 * DAY_MS);
    for (const headers of [{}, { cookie: 'session=x' }, { cookie: `session=prs_${'A'.repeat(43)}` }])
      expect((await server.call('GET', '/auth/session', { key: null, headers })).body).toEqual(SIGNED_OUT);
    expect((await server.call('GET', '/v1/auth/session')).body).toEqual(SIGNED_OUT);
  });

  it('starts in development with an address alone, with its cookie', {
    tags: ['contract-development.session', 'sessions.cookie'],
  }, async () => {
    const { status, body, headers } = await server.call('POST', '/dev/session', {
      key: null,
      body: { email: 'owner@sandbox.test' },
    });
    expect([status, body.authenticated]).toEqual([200, true]);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^session=prs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expectInvalid(await server.call('POST', '/dev/session', { key: null, body: { email: 'x' } }), 'email');
    // Accounts are named there as everywhere: the name gets into the subjects of mail.
    for (const wrong of ['', ' ', 'a\r\nb', 'x'.repeat(101)]) {
      const account = { name: wrong, ownerEmail: 'x@sandbox.test' };
      expectInvalid(await server.call('POST', '/dev/accounts', { key: null, body: account }), 'name');
    }
  });

  it('has a cookie for this exact host when there is TLS', { tags: ['sessions.cookie'] }, () => {
    const jar = createCookieJar(true);
    expect(jar.set(jar.session, 'x', 60)).toBe('__Host-session=x; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax');
  });

  it('is stored only as a hash', { tags: ['authentication.session-form'] }, async () => {
    const token = owner.cookie.slice('session='.length);
    const [row] = await server.database.sql`SELECT * FROM sessions WHERE token_hash = ${hashToken(token)}`;
    expect(row?.['kind']).toBe('cookie');
    expect(JSON.stringify(await server.database.sql`SELECT * FROM sessions`)).not.toContain(token);
    // What is good as a cookie is not good as a bearer token.
    expectProblem(await server.call('GET', '/account', { key: token }), 401, 'session_required');
  });

  it('may call what accepts a key, and is named in the audit log and the request log', {
    tags: ['sessions.cookie'],
  }, async () => {
    const made = await owner.call('POST', '/keys', {
      body: { name: 'Made by hand', scopes: ['full', 'approvals:decide'] },
    });
    expect(made.status).toBe(201);
    const { entries } = (await owner.call('GET', '/audit?action=key.created')).body;
    expect(entries[0]).toMatchObject({ actor: owner.user.memberId, targetId: made.body.id });
    const started = (await owner.call('GET', '/audit?action=session.started')).body.entries;
    expect(started[0]).toMatchObject({ actor: owner.user.memberId, details: { how: 'development' } });
    const logged = await owner.call('GET', `/requests/${made.headers.get('x-request-id')}`);
    expect(logged.body).toMatchObject({ path: '/keys', status: 201, keyId: null });
    expect(made.headers.get('ratelimit-policy')).toBe('"key";q=600;w=60');
    // Paths of pages hold secrets, and browsers send the cookie along; where nothing is served the miss is in the log.
    const page = await owner.call('POST', `/auth/magic-link/${'A'.repeat(43)}`);
    expect(page.status).toBe(404);
    const idOf = ({ headers }: { readonly headers: Headers }) => headers.get('x-request-id');
    const missed = idOf(await owner.call('GET', '/nothing-here'));
    const read = async (id: string | null) => (await owner.call('GET', `/requests/${id}`)).body;
    await expect.poll(async () => (await read(missed)).path, { timeout: 5_000 }).toBe('/nothing-here');
    expect(await read(idOf(page))).toMatchObject({ code: 'not_found', status: 404, title: expect.any(String) });
    // No one sees the key that a seat acts under.
    const keys = (await owner.call('GET', '/keys')).body;
    expect(keys.keys.map(({ id }: { id: string }) => id)).not.toContain(owner.user.memberId);
    expectProblem(await owner.call('GET', `/keys/${owner.user.memberId}`), 404, 'not_found');
    expectProblem(await owner.call('DELETE', `/keys/${owner.user.memberId}`), 404, 'not_found');
  });

  it('sends and tests templates, to the user’s own address', async () => {
    const sent = await owner.call('POST', '/emails', {
      body: { from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hi', text: 'x' },
    });
    expect(sent.status).toBe(202);
    await owner.call('POST', '/templates', { body: { slug: 'hi', name: 'Hi', subject: 'Hi', text: 'x' } });
    const mate = await signInAs(server, 'other-person@sandbox.test');
    const wrong = { to: mate.user.email };
    expectInvalid(await owner.call('POST', '/templates/hi/test', { body: wrong }), ['to', 'not_allowed']);
    const tested = await owner.call('POST', '/templates/hi/test', { body: { to: 'OWNER@sandbox.test' } });
    expect(tested.status).toBe(202);
    expect((await owner.call('GET', `/emails/${tested.body.id}`)).body.to).toBe('owner@sandbox.test');
  });

  it('does not replace a key where one is required, nor a key a session', {
    tags: ['contract-errors.401-session'],
  }, async () => {
    expectProblem(await owner.call('GET', '/keys/self'), 401, 'missing_key');
    expectProblem(
      await owner.call('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
      401,
      'missing_key',
    );
    const body = { userCode: 'X' };
    expectProblem(await server.call('POST', '/auth/device/confirm', { body }), 401, 'session_required');
    expectProblem(await server.call('POST', '/auth/device/confirm', { key: null, body }), 401, 'session_required');
  });

  it('writes for pages of this server only, and only JSON', async () => {
    const foreign = [
      'https://evil.example',
      'null',
      'http://127.0.0.1:1',
      `${server.baseUrl}.evil.example`,
      server.baseUrl.replace('http:', 'https:'),
    ];
    for (const origin of foreign) {
      expectProblem(await owner.call('POST', '/account/pause', { headers: { origin } }), 403, 'missing_scope');
      expectProblem(await owner.call('POST', '/auth/logout', { headers: { origin } }), 403, 'missing_scope');
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expectProblem(
      await owner.call('POST', '/keys', { headers: form, rawBody: 'name=x' }),
      415,
      'unsupported_media_type',
    );
    const headers = { cookie: owner.cookie, 'sec-fetch-site': 'cross-site' };
    expectProblem(await server.call('POST', '/account/pause', { key: null, headers }), 403, 'missing_scope');
    expect((await owner.call('GET', '/account', { headers: { origin: 'https://evil.example' } })).status).toBe(200);
    const base = 'https://mail.example.com/base';
    expect(isSameOriginRequest({}, base)).toBe(false);
    expect(isSameOriginRequest({ origin: 'https://mail.example.com' }, base)).toBe(true);
    expect(isSameOriginRequest({ origin: 'http://mail.example.com' }, base)).toBe(false);
  });

  it('rejects writes by cookie without an origin, in development too', async () => {
    const write = async (headers: Record<string, string>) =>
      await server.call('POST', '/keys', {
        ...{ key: null, body: { name: 'Planted', scopes: ['sending'] } },
        headers: { cookie: owner.cookie, ...headers },
      });
    for (const headers of [
      {},
      { referer: 'https://evil.example/page' },
      { referer: `${server.baseUrl}/auth/sign-in` },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
    ])
      expectProblem(await write(headers), 403, 'missing_scope');
    const logout = { key: null, headers: { cookie: owner.cookie } };
    expectProblem(await server.call('POST', '/auth/logout', logout), 403, 'missing_scope');
    expect((await write({})).body).toMatchObject({
      title: 'No permission for this request',
      detail: expect.stringContaining('its `Origin` header is missing or `null`'),
      fix: expect.stringContaining(`\`Origin: ${server.baseUrl}\``),
    });
    const foreign = await write({ origin: 'https://evil.example' });
    expect(foreign.body.detail).toContain('It comes from a page of another origin.');
    expect((await write({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    expect((await write({ origin: server.baseUrl })).status).toBe(201);
  });

  it('never redirects to another server', () => {
    const to = (next: string) => toLocalPath(next, 'https://mail.example.com');
    expect(to('/auth/device?user_code=X')).toBe('/auth/device?user_code=X');
    for (const bad of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      '/%2e//evil.example',
      'x',
      '',
      '/',
      '\\\\x',
    ])
      expect([bad, to(bad)]).toEqual([bad, null]);
  });

  it('ends immediately at sign-out', { tags: ['sessions.read-and-logout'] }, async () => {
    const guest = await signInAs(server, 'guest@sandbox.test');
    const left = await guest.call('POST', '/auth/logout');
    expect([left.status, left.body, left.headers.getSetCookie()]).toEqual([
      204,
      '',
      ['session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'],
    ]);
    expectProblem(await guest.call('GET', '/account'), 401, 'session_required');
    expect((await guest.call('GET', '/auth/session')).body).toEqual(SIGNED_OUT);
    expect((await guest.call('POST', '/auth/logout')).status).toBe(204);
    expect((await server.call('POST', '/auth/logout', { key: null })).status).toBe(204);
    // A key beside the cookie is no session, and hides none.
    const both = await signInAs(server, 'guest@sandbox.test');
    const headers = { authorization: `Bearer ${server.key}` };
    expect((await both.call('GET', '/auth/session', { headers })).body.user.email).toBe('guest@sandbox.test');
    const foreign = { ...headers, origin: 'https://evil.example' };
    expectProblem(await both.call('POST', '/auth/logout', { headers: foreign }), 403, 'missing_scope');
    expect((await both.call('GET', '/account', { headers })).body.id).toBe(server.accountId);
    expect((await both.call('POST', '/auth/logout', { headers })).status).toBe(204);
    expect((await both.call('GET', '/auth/session')).body).toEqual(SIGNED_OUT);
    const page = await signInAs(server, 'guest@sandbox.test');
    const signedIn = await page.call('GET', '/auth/sign-in');
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/console']);
    expect((await page.call('GET', '/console')).body).toContain('action="/auth/sign-out"');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const out = await page.call('POST', '/auth/sign-out', { headers: form, rawBody: '' });
    expect([out.status, out.headers.get('location')]).toEqual([303, '/auth/sign-in?signed-out=1']);
    expect((await page.call('GET', '/auth/session')).body).toEqual(SIGNED_OUT);
  });

  it('ends on every other process within a second', async () => {
    const other = await startTestApp({ database: server.database });
    try {
      const guest = await signInAs(server, 'guest@sandbox.test');
      const there = browserOf(other, guest.cookie);
      expect((await there.call('GET', '/account')).status).toBe(200);
      await guest.call('POST', '/auth/logout');
      await expect
        .poll(async () => (await there.call('GET', '/account')).status, { timeout: 1_000, interval: 50 })
        .toBe(401);
    } finally {
      await other.close();
    }
  });

  it('may idle for seven days, and lasts at most thirty', { tags: ['sessions.cookie'] }, async () => {
    const guest = await signInAs(server, 'guest@sandbox.test');
    const isThere = async () => (await guest.call('GET', '/auth/session')).body.authenticated;
    for (let day = 0; day < 29; day += 6) {
      expect(await isThere()).toBe(true);
      await server.app.services.auth.sessions.flushUse();
      server.clock.advance(6 * DAY_MS);
    }
    expect(await isThere()).toBe(false);
    const idle = await signInAs(server, 'guest@sandbox.test');
    server.clock.advance(7 * DAY_MS);
    expect((await idle.call('GET', '/auth/session')).body.authenticated).toBe(false);
    expectProblem(await idle.call('GET', '/team'), 401, 'session_required');
    owner = await signInAs(server, 'owner@sandbox.test');
  });

  it('is removed after its expiry, with links and codes, and so is a user without a membership', async () => {
    const { sql } = server.database;
    const guest = await signInAs(server, 'forgotten@sandbox.test');
    await server.call('POST', '/auth/magic-link', { key: null, body: { email: 'forgotten@sandbox.test' } });
    await server.call('POST', '/auth/device', { key: null });
    server.clock.advance(8 * DAY_MS);
    const kept = await signInAs(server, 'kept@sandbox.test');
    const now = server.clock.now();
    await purgeSignIns(sql, { now, ...sessionHorizons(now), codesBefore: now });
    const [left] = await sql`
      SELECT (SELECT array_agg(user_id::text) FROM sessions) AS users, (SELECT count(*)::int FROM magic_links) AS links,
        (SELECT count(*)::int FROM device_codes) AS codes, (SELECT count(*)::int FROM code_tries) AS tries`;
    expect(left).toEqual({ users: [kept.user.id], links: 0, codes: 0, tries: 0 });
    await sql`DELETE FROM members WHERE user_id = ${guest.user.id}`;
    await forgetUnseated(sql);
    expect(await sql`SELECT email FROM users WHERE id IN (${guest.user.id}, ${kept.user.id})`).toEqual([
      { email: 'kept@sandbox.test' },
    ]);
    owner = await signInAs(server, 'owner@sandbox.test');
  });

  it('can switch to another account of the user, and to no other', async () => {
    const there = await signInAs(server, 'founder@sandbox.test');
    await there.call('POST', '/team/invitations', { body: { email: 'owner@sandbox.test', role: 'viewer' } });
    owner = await signInAs(server, 'owner@sandbox.test');
    const { accounts } = (await owner.call('GET', '/auth/accounts')).body;
    // Another process of this test made an account of the same name.
    const own = accounts.filter(
      ({ id, name }: { id: string; name: string }) => name !== 'Acme' || id === server.accountId,
    );
    expect(own).toEqual([
      { id: server.accountId, name: 'Acme', role: 'owner', current: true },
      { id: there.account.id, name: 'founder@sandbox.test', role: 'viewer', current: false },
    ]);
    const moved = await owner.call('PATCH', '/auth/session', { body: { accountId: there.account.id } });
    expect(moved.body).toMatchObject({ account: { id: there.account.id }, user: { role: 'viewer' } });
    expect((await owner.call('GET', '/account')).body.id).toBe(there.account.id);
    expectProblem(await owner.call('POST', '/account/pause'), 403, 'missing_scope');
    expect((await owner.call('PATCH', '/auth/session', { body: { accountId: server.accountId } })).status).toBe(200);
    // Who comes and goes that way is in the audit log of either account.
    const seat = moved.body.user.memberId;
    const moves = async (by: TestSession, actor: string) =>
      (await by.call('GET', '/audit?action=session')).body.entries.flatMap(
        (entry: { actor: string; action: string; details: { how?: string } }) =>
          entry.actor === actor && entry.details.how === 'switch' ? [entry.action] : [],
      );
    expect(await moves(there, seat)).toEqual(['session.ended', 'session.started']);
    expect(await moves(owner, owner.user.memberId)).toEqual(['session.started', 'session.ended']);
    const foreign = await signInAs(server, 'stranger@sandbox.test');
    const body = { accountId: foreign.account.id };
    expectProblem(await owner.call('PATCH', '/auth/session', { body }), 404, 'not_found');
    expectInvalid(await owner.call('PATCH', '/auth/session', { body: { accountId: 'x' } }), 'accountId');
  });
});
