import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { OIDC_CLIENT, type OidcUser, type RunningProvider, startOidcProvider } from '../../harness/oidc-provider.ts';
import { browserOf, cookieOf } from '../../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../../harness/test-app.ts';

describe('a sign-in at a provider', () => {
  let server: TestApp;
  let provider: RunningProvider;
  let github: FakeGithub;
  beforeAll(async () => {
    provider = await startOidcProvider(() => `${server.baseUrl}/auth/oauth/oidc/callback`);
    github = await startFakeGithub();
    server = await startTestApp({
      settings: {
        POSTRIDER_OIDC_ISSUER: provider.issuer,
        POSTRIDER_OIDC_CLIENT_ID: OIDC_CLIENT.id,
        POSTRIDER_OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
        POSTRIDER_GITHUB_URL: github.url,
        POSTRIDER_GITHUB_CLIENT_ID: 'postrider',
        POSTRIDER_GITHUB_CLIENT_SECRET: 'secret',
        POSTRIDER_GOOGLE_CLIENT_ID: 'postrider',
        POSTRIDER_GOOGLE_CLIENT_SECRET: 'secret',
        POSTRIDER_SIGNUP: 'closed',
      },
    });
  });
  afterAll(async () => {
    await server.close();
    await provider.close();
    await github.close();
  });

  const get = (path: string, cookie = '') =>
    server.call('GET', path, { key: null, headers: cookie === '' ? {} : { cookie } });

  /** Starts here and completes the provider's own pages; returns where the browser is redirected to. */
  async function travel(name = 'oidc', next = '') {
    const begun = await get(`/auth/oauth/${name}${next === '' ? '' : `?next=${encodeURIComponent(next)}`}`);
    if (begun.status !== 302) throw new Error(`${begun.status} ${begun.body}`);
    const cookie = cookieOf(begun, 'oauth');
    const there = begun.headers.get('location') ?? '';
    return { begun, cookie, there, back: pathOf(await followUntil(server.baseUrl, there)) };
  }

  /** Who is signed in with the cookie that a response sets. */
  const addressOf = async (done: TestResponse) =>
    (await browserOf(server, cookieOf(done, 'session')).call('GET', '/auth/session')).body.user.email;

  async function signInWith(user: OidcUser): Promise<TestResponse> {
    provider.signsIn(user);
    const { cookie, back } = await travel();
    return await get(back, cookie);
  }

  it('signs in the user that the provider confirms, with state, PKCE and nonce', {
    tags: ['sessions.oauth'],
  }, async () => {
    provider.signsIn({ sub: 'u1', email: 'owner@sandbox.test', email_verified: true, name: 'Olive Owner' });
    const { begun, there, cookie, back } = await travel('oidc', '/auth/device?user_code=BBBB-CCCC');
    const asked = new URL(there).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      redirect_uri: `${server.baseUrl}/auth/oauth/oidc/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(begun.headers.getSetCookie()[0]).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    // What the browser keeps shows no one the verifier.
    expect(Buffer.from(cookie.slice('oauth='.length), 'base64url').toString()).not.toContain('verifier');
    const done = await get(back, cookie);
    expect([done.status, done.headers.get('location')]).toEqual([303, '/auth/device?user_code=BBBB-CCCC']);
    const session = (await browserOf(server, cookieOf(done, 'session')).call('GET', '/auth/session')).body;
    expect(session.user).toMatchObject({ email: 'owner@sandbox.test', name: 'Olive Owner', role: 'owner' });
  });

  it('returns the address of the provider to a client that accepts JSON, which signs in like a redirect', async () => {
    provider.signsIn({ sub: 'u1', email: 'owner@sandbox.test', email_verified: true });
    const headers = { accept: 'application/json' };
    const begun = await server.call('GET', '/auth/oauth/oidc', { key: null, headers });
    expect([begun.status, begun.body]).toEqual([200, { url: expect.stringContaining(`${provider.issuer}/auth?`) }]);
    const back = pathOf(await followUntil(server.baseUrl, begun.body.url));
    expect((await get(back, cookieOf(begun, 'oauth'))).status).toBe(303);
  });

  it('identifies users by issuer and subject, whatever their address is now', async () => {
    const moved = await signInWith({ sub: 'u1', email: 'elsewhere@sandbox.test', email_verified: false });
    expect(await addressOf(moved)).toBe('owner@sandbox.test');
    const taken = await signInWith({ sub: 'u2', email: 'owner@sandbox.test', email_verified: false });
    expect([taken.status, taken.body]).toEqual([403, expect.stringContaining('has not verified your email address')]);
    expect(taken.headers.getSetCookie().join()).not.toContain('session=prs_');
    const none = await signInWith({ sub: 'u3' });
    expect(none.status).toBe(403);
    // What only looks like an address here, or wraps one, is no one's.
    for (const email of ['Olive <owner@sandbox.test>', '<owner@sandbox.test>', '\u00f6wner@sandbox.test', 'owner'])
      expect((await signInWith({ sub: 'u5', email, email_verified: true })).status).toBe(403);
    const odd = { sub: 'u1', name: 'Olive\u0000\r\nBcc: x@evil.example' };
    expect((await signInWith(odd)).status).toBe(303);
    const stranger = await signInWith({ sub: 'u4', email: 'stranger@sandbox.test', email_verified: true });
    expect([stranger.status, stranger.body]).toEqual([403, expect.stringContaining('Ask for an invitation')]);
    expect(await server.database.sql`SELECT subject FROM identities WHERE issuer = ${provider.issuer}`).toEqual([
      { subject: 'u1' },
    ]);
  });

  it('trusts no response that it did not request', async () => {
    provider.signsIn({ sub: 'u1' });
    const [one, two] = [await travel(), await travel()];
    const without = (path: string, name: string, value?: string) => {
      const url = new URL(path, server.baseUrl);
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
      return `${url.pathname}${url.search}`;
    };
    const refused = async (path: string, cookie: string) => {
      const response = await get(path, cookie);
      expect([path, response.status, response.body]).toEqual([
        path,
        400,
        expect.stringContaining('You are not signed in'),
      ]);
      expect(response.headers.getSetCookie().join()).not.toContain('session=prs_');
    };
    await refused(one.back, ''); // another browser
    await refused(one.back, two.cookie); // the state of another attempt
    await refused(without(one.back, 'state'), one.cookie);
    await refused(without(one.back, 'iss', 'https://evil.example'), one.cookie); // mix-up
    await refused(without(one.back, 'iss'), one.cookie);
    await refused(without(one.back, 'code', 'made-up'), one.cookie);
    await refused('/auth/oauth/oidc/callback?error=access_denied', one.cookie);
    await refused(one.back.replace('/oidc/', '/github/'), one.cookie); // another provider's
    await refused(two.back, `oauth=${'A'.repeat(80)}`);
    expect((await get(two.back, two.cookie)).status).toBe(303);
    await refused(two.back, two.cookie); // a code is good once
    server.clock.advance(601_000);
    await refused(one.back, one.cookie);
  });

  it('redirects to no other server, before and after', async () => {
    provider.signsIn({ sub: 'u1' });
    for (const next of ['https://evil.example/', '//evil.example']) {
      const { cookie, back } = await travel('oidc', next);
      const done = await get(back, cookie);
      expect([done.status, done.headers.get('location'), done.body]).toEqual([303, '/console', '']);
    }
    expectInvalid(await get('/auth/oauth/oidc?redirect_uri=https://evil.example'), 'redirect_uri');
  });

  it('is 404 for a provider that is not configured', {
    tags: ['sessions.oauth', 'contract-settings.oauth'],
  }, async () => {
    for (const name of ['nope', '__proto__', 'constructor', 'OIDC', '%2e%2e']) {
      expectProblem(await get(`/auth/oauth/${name}`), 404, 'not_found');
      expectProblem(await get(`/auth/oauth/${name}/callback?code=x&state=y`), 404, 'not_found');
    }
    const page = (await get('/auth/sign-in')).body;
    for (const label of ['GitHub', 'Google', 'single sign-on']) expect(page).toContain(`Sign in with ${label}`);
  });

  it('works with GitHub, by the user id and the primary address if it is verified', {
    tags: ['sessions.oauth'],
  }, async () => {
    github.user = { id: 42, emails: [{ email: 'owner@sandbox.test', primary: true, verified: false }] };
    const unverified = await travel('github');
    expect((await get(unverified.back, unverified.cookie)).status).toBe(403);
    github.user = { id: 42, emails: [{ email: 'owner@sandbox.test', primary: true, verified: true }] };
    const { cookie, back, there } = await travel('github');
    expect(new URL(there).searchParams.get('code_challenge_method')).toBe('S256');
    const done = await get(back, cookie);
    expect([done.status, await addressOf(done)]).toEqual([303, 'owner@sandbox.test']);
    expect(await server.database.sql`SELECT issuer, subject FROM identities WHERE subject = '42'`).toEqual([
      { issuer: github.url, subject: '42' },
    ]);
    const { body } = await browserOf(server, cookieOf(done, 'session')).call('GET', '/audit?action=session.started');
    expect(body.entries[0].details).toEqual({ how: 'oauth:github' });
  });

  it('is reported as unavailable when the provider does not respond', async () => {
    await provider.close();
    server.clock.advance(3_600_001);
    const response = await get('/auth/oauth/oidc');
    expect([response.status, response.body]).toEqual([503, expect.stringContaining('does not respond')]);
  });
});

/** Follows redirects as a browser does, with its cookies, until they lead to `home`. */
async function followUntil(home: string, from: string): Promise<string> {
  const jar = new Map<string, string>();
  let url = from;
  for (let step = 0; step < 10 && !url.startsWith(home); step += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status} at ${url}: ${(await response.text()).slice(0, 300)}`);
    url = new URL(location, url).href;
  }
  return url;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

interface FakeGithub {
  readonly url: string;
  user: { id: number; emails: { email: string; primary: boolean; verified: boolean }[] };
  close(): Promise<void>;
}

/** What GitHub returns for a sign-in: a third-party server. */
async function startFakeGithub(): Promise<FakeGithub> {
  const fake: { user: FakeGithub['user'] } = { user: { id: 0, emails: [] } };
  const http: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://github.test');
    const json = (body: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (url.pathname === '/login/oauth/authorize') {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'a-code');
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
    } else if (url.pathname === '/login/oauth/access_token') {
      json({ access_token: 'a-token', token_type: 'bearer', scope: 'user:email' });
    } else if (request.headers.authorization?.toLowerCase() !== 'bearer a-token') response.writeHead(401).end();
    else if (url.pathname === '/api/v3/user') json({ id: fake.user.id, login: 'octo', name: '' });
    else json(fake.user.emails);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return Object.assign(fake, {
    url,
    close: () =>
      new Promise<void>((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  });
}
