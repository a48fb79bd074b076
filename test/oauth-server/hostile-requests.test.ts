import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram, type OAuthProgram, tokensOf } from '../harness/oauth-program.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { sendDecision } from '../harness/user-browser.ts';

describe('a hostile request for access', () => {
  let server: TestApp;
  let owner: TestSession;
  let program: OAuthProgram;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
    program = await createProgram(server);
  });
  afterAll(() => server.close());

  const register = (body: unknown) => server.call('POST', '/oauth/register', { key: null, body });
  const authorize = (query: Readonly<Record<string, string>>) =>
    fetch(`${server.baseUrl}/oauth/authorize?${new URLSearchParams(query)}`, {
      headers: { cookie: owner.cookie },
      redirect: 'manual',
    });
  const request = () => ({
    ...{ response_type: 'code', client_id: program.clientId, redirect_uri: program.redirectUri, state: 'x' },
    ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' },
  });

  it.each([
    'http://evil.example/callback',
    'javascript:alert(1)',
    'data:text/html,hi',
    'file:///etc/passwd',
    'https://user:pass@evil.example/',
    'https://evil.example/#fragment',
    'https://evil.example\\@good.example/',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'not a uri',
    'feed:javascript:alert(1)',
    'jar:http://a',
    'search-ms:query=x',
    'ms-word:ofe|u|https://a.example',
    'itms-services://x',
    'chrome-extension://abc/',
    'resource://x',
    'vscode:',
    ' https://evil.example/',
  ])('cannot register the redirect URI %s', { tags: ['agent-sign-in.redirects'] }, async (uri) => {
    const { status, body } = await register({ client_name: 'X', redirect_uris: ['http://127.0.0.1/cb', uri] });
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
  });

  it('cannot register without redirect URIs, or with metadata of another form', async () => {
    for (const body of [{}, [], 'x', null, { redirect_uris: [] }, { redirect_uris: 'https://a.example' }]) {
      expect((await register(body)).status).toBe(400);
    }
    expect((await register({ redirect_uris: ['http://127.0.0.1/'], client_name: { a: 1 } })).body.error).toBe(
      'invalid_client_metadata',
    );
    const large = { redirect_uris: ['http://127.0.0.1/'], client_name: 'x'.repeat(20_000) };
    expect((await register(large)).status).toBe(413);
  });

  it('registers as a public program without a secret, and with a readable name, whatever it asks for', {
    tags: ['agent-sign-in.public'],
  }, async () => {
    const { body } = await register({
      client_name: `  Claude\u202e\u0000\u3164\u2800\n${'x'.repeat(200)}`,
      redirect_uris: ['http://127.0.0.1/'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials', 'implicit'],
      scope: 'approvals:decide',
      client_id: 'mine',
      client_secret: 'mine',
    });
    expect(body).not.toHaveProperty('client_secret');
    expect(body.client_id).not.toBe('mine');
    expect([body.client_name, body.token_endpoint_auth_method]).toEqual([`Claude ${'x'.repeat(73)}`, 'none']);
  });

  it('is not sent to an address that the program did not register', { tags: ['agent-sign-in.redirects'] }, async () => {
    for (const uri of [
      'https://evil.example/',
      'http://localhost:3118/callback/../x',
      'http://localhost:3118/other',
      '',
    ]) {
      const response = await authorize({ ...request(), redirect_uri: uri });
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    // Programs on the own machine choose a free port at each start (RFC 8252, section 7.3).
    expect((await authorize({ ...request(), redirect_uri: 'http://localhost:4242/callback' })).status).toBe(303);
  });

  it('gets a page, and no redirect to another site, before a user has decided', {
    tags: ['agent-sign-in.redirects'],
  }, async () => {
    const elsewhere = await createProgram(server, { name: 'Elsewhere', redirectUri: 'https://evil.example/callback' });
    const query = { ...request(), client_id: elsewhere.clientId, redirect_uri: elsewhere.redirectUri };
    for (const changes of [{ prompt: 'none' }, { scope: 'keys:write' }, { response_type: 'token' }]) {
      const response = await authorize({ ...query, ...changes });
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    expect(await (await authorize({ ...query, prompt: 'none' })).text()).toContain('Return to evil.example');
  });

  it('cannot send the browser to this server itself, nor send its result by a form', {
    tags: ['agent-sign-in.redirects'],
  }, async () => {
    for (const uri of [`${server.baseUrl}/console/settings/pause`, server.baseUrl.replace('127.0.0.1', 'localhost')]) {
      const { status, body } = await register({ redirect_uris: [uri] });
      expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
    }
    // A request may name any port of a loopback address, but not the one of this server.
    const { port } = new URL(server.baseUrl);
    for (const host of ['localhost', '127.0.0.1']) {
      const own = await createProgram(server, { redirectUri: `http://${host}/console/settings` });
      const query = { ...request(), client_id: own.clientId, redirect_uri: `http://${host}:${port}/console/settings` };
      for (const changes of [{}, { prompt: 'none' }, { response_type: 'token' }]) {
        const response = await authorize({ ...query, ...changes });
        expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      }
      expect((await authorize({ ...query, redirect_uri: `http://${host}:4242/console/settings` })).status).toBe(303);
    }
    const response = await authorize({ ...request(), response_mode: 'form_post', prompt: 'none' });
    expect([response.status, response.headers.get('location')]).toEqual([303, expect.stringContaining('error=')]);
  });

  it('does not use up a code or token by a wrong resource', { tags: ['agent-sign-in.binding'] }, async () => {
    const asked = await program.ask(owner, { resource: `${server.baseUrl}/v1/mcp/` });
    const returned = await program.decide(owner, asked);
    expect((await program.exchange(returned, asked, { resource: 'https://other.example' })).body.error).toBe(
      'invalid_target',
    );
    const { refresh } = tokensOf(await program.exchange(returned, asked));
    expect((await program.refresh(refresh, { resource: 'https://other.example' })).body.error).toBe('invalid_target');
    expect((await program.refresh(refresh, { resource: `${server.baseUrl}/mcp/` })).status).toBe(200);
  });

  it('is refused with control characters, choices that the page does not have, or nothing that the user can grant', async () => {
    const response = await authorize({ ...request(), state: 'a\u0000b' });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('control characters')]);
    const asked = await program.ask(owner);
    for (const choices of [{ recipients: 'everyone' }, { held: 'none' }, { days: '-1' }] as const) {
      expect((await sendDecision(owner, asked, choices)).status).toBe(422);
    }
    const viewer = await joinAs(server, owner, 'viewer', 'looks@sandbox.test');
    const page = await program.ask(viewer, { scope: 'emails:send' });
    const text = await (await fetch(`${server.baseUrl}${page.consent}`, { headers: { cookie: page.cookie } })).text();
    expect(text).toContain('You cannot allow this');
    expect(text).not.toContain('value="allow"');
  });

  it('needs PKCE with S256, and a resource of this server', { tags: ['agent-sign-in.request'] }, async () => {
    const { code_challenge: _, ...without } = request();
    const errorOf = async (query: Readonly<Record<string, string>>) => {
      const response = await authorize(query);
      const back = new URL(response.headers.get('location') ?? 'x:');
      return [back.searchParams.get('error'), back.searchParams.get('iss')];
    };
    expect(await errorOf(without)).toEqual(['invalid_request', server.baseUrl]);
    expect(await errorOf({ ...request(), code_challenge_method: 'plain' })).toEqual([
      'invalid_request',
      server.baseUrl,
    ]);
    expect(await errorOf({ ...request(), resource: 'https://other.example/mcp' })).toEqual([
      'invalid_target',
      server.baseUrl,
    ]);
    const implicit = await authorize({ ...request(), response_type: 'token' });
    expect(implicit.headers.get('location') ?? '').not.toContain('access_token');
    expect(implicit.headers.get('location') ?? '').not.toContain('/oauth/consent/');
  });

  it('cannot be decided by another site, without a cookie, or in another browser', {
    tags: ['agent-sign-in.consent'],
  }, async () => {
    const asked = await program.ask(owner);
    const { cookie } = asked;
    const ownCookies = cookie.slice(owner.cookie.length + 2);
    const decide = (headers: Readonly<Record<string, string>>) =>
      server.call('POST', asked.consent, {
        key: null,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        rawBody: `decision=allow&member=${owner.user.memberId}`,
      });
    const before = (await owner.call('GET', '/keys')).body.total;
    expect((await decide({ cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await decide({ cookie, origin: 'null' })).status).toBe(403);
    expect((await decide({ cookie })).status).toBe(403);
    expect((await decide({ cookie: ownCookies, origin: server.baseUrl })).status).toBe(303);
    expect((await decide({ cookie: owner.cookie, origin: server.baseUrl })).status).toBe(404);
    expect((await owner.call('GET', '/keys')).body.total).toBe(before);
    const page = await fetch(`${server.baseUrl}${asked.consent}`, { headers: { cookie } });
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('is decided once, also by two presses of the button at once', { tags: ['agent-sign-in.consent'] }, async () => {
    const asked = await program.ask(owner);
    const before = (await owner.call('GET', '/keys')).body.total;
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => (await sendDecision(owner, asked)).status),
    );
    expect(statuses.sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect((await sendDecision(owner, asked, { decision: 'deny' })).status).toBe(404);
    expect((await owner.call('GET', '/keys')).body.total).toBe(before + 1);
  });

  it('is refused for another account than the page showed, and can be decided again', {
    tags: ['agent-sign-in.consent'],
  }, async () => {
    const asked = await program.ask(owner);
    const moved = await sendDecision(owner, asked, { member: '01980d3c-7a52-7c31-9d5e-2f0c6a1b4e03' });
    expect([moved.status, String(moved.body)]).toEqual([
      409,
      expect.stringContaining('You have moved to another account'),
    ]);
    expect((await sendDecision(owner, asked, { held: 'some' })).status).toBe(422);
    expect((await sendDecision(owner, asked)).status).toBe(200);
  });

  it('begins and ends nothing by HEAD', async () => {
    const head = (path: string, cookie: string) =>
      fetch(`${server.baseUrl}${path}`, { method: 'HEAD', headers: { cookie } });
    const rows = async () =>
      (await server.database.sql`SELECT count(*)::int AS count FROM oauth_records`)[0]?.['count'];
    const asked = await program.ask(owner);
    const before = await rows();
    const query = new URLSearchParams(request());
    expect((await head(`/oauth/authorize?${query}`, owner.cookie)).headers.getSetCookie()).toEqual([]);
    const decided = await sendDecision(owner, asked);
    const next = new URL(/^0;url=(.*)$/.exec(decided.headers.get('refresh') ?? '')?.[1] ?? '').pathname;
    expect((await head(next, asked.cookie)).headers.get('location')).toBeNull();
    expect(await rows()).toBe(before);
    const resumed = await fetch(`${server.baseUrl}${next}`, { headers: { cookie: asked.cookie }, redirect: 'manual' });
    expect(resumed.headers.get('location')).toContain('code=');
    expect(resumed.headers.getSetCookie().filter((line) => line.startsWith('oauth_session'))).toEqual([]);
  });

  it('tells the program that the user denied it', { tags: ['agent-sign-in.request'] }, async () => {
    const asked = await program.ask(owner);
    const returned = await program.decide(owner, asked, { decision: 'deny' });
    expect(Object.fromEntries(returned.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The user denied access.',
      state: asked.state,
      iss: server.baseUrl,
    });
  });

  it('gets no tokens with a wrong verifier, redirect URI, client or resource', {
    tags: ['agent-sign-in.binding'],
  }, async () => {
    const other = await createProgram(server, { name: 'Other' });
    for (const changes of [
      { code_verifier: 'b'.repeat(43) },
      { code_verifier: '' },
      { redirect_uri: 'http://localhost:1/callback' },
      { client_id: other.clientId },
      { resource: 'https://other.example/mcp' },
      { code: 'made-up' },
    ]) {
      const asked = await program.ask(owner);
      const response = await program.exchange(await program.decide(owner, asked), asked, changes);
      expect([response.status, response.body.access_token]).toEqual([400, undefined]);
    }
    const { refresh } = await program.signIn(owner);
    expect((await other.refresh(refresh)).body.error).toBe('invalid_grant');
    expect((await program.refresh(refresh, { scope: 'emails:send approvals:decide' })).body.error).toBe(
      'invalid_scope',
    );
    expect((await program.refresh(refresh)).status).toBe(200);
  });

  it('cannot revoke what another program has', async () => {
    const other = await createProgram(server, { name: 'Other' });
    const { access, refresh } = await program.signIn(owner);
    await other.revoke(refresh);
    await other.revoke(access);
    expect((await program.callTool(access, 'get_sending_context')).status).toBe(200);
  });

  it('gets no scope beyond the role of the user, nor one that no program can get', async () => {
    const viewer = await joinAs(server, owner, 'viewer', 'viewer@sandbox.test');
    const scope = 'emails:send emails:read keys:write approvals:decide team:write account:write';
    const { scope: granted } = await program.signIn(viewer, {}, { scope });
    expect(granted).toBe('emails:read');
    const all = await program.signIn(owner, { scope: 'keys:write', readsOthers: 'true' }, { scope });
    expect(all.scope).toBe('emails:send emails:read');
    const key = (await owner.call('GET', '/keys')).body.keys.find(
      (one: { client: unknown; revokedAt: unknown }) => one.client !== null && one.revokedAt === null,
    );
    expect(key.scopes).toEqual(['emails:send', 'emails:read']);
  });

  it('grants only what the form of the page can express', { tags: ['agent-sign-in.choices'] }, async () => {
    const { access } = await program.signIn(owner, {
      ...{ approvalMode: 'off', holdWhen: 'null', scopes: 'full', mode: 'live', rateLimit: '100000' },
    });
    const result = await program.callTool(access, 'get_sending_context');
    expect(JSON.stringify(result.body)).toContain('Every send waits');
  });

  it('cannot have its limits loosened by another developer', async () => {
    const developer = await joinAs(server, owner, 'developer', 'loosens@sandbox.test');
    await program.signIn(owner, { day: '5' });
    const [key] = (await owner.call('GET', '/keys')).body.keys;
    const loosened = await developer.call('PATCH', `/keys/${key.id}`, { body: { sendLimit: null, expiresAt: null } });
    expect([loosened.status, loosened.body.detail]).toEqual([403, expect.stringContaining('sendLimit')]);
    expect((await developer.call('PATCH', `/keys/${key.id}`, { body: { sendLimit: { day: 2 } } })).status).toBe(200);
    expect((await owner.call('PATCH', `/keys/${key.id}`, { body: { sendLimit: { day: 9 } } })).status).toBe(200);
  });

  it('has no secret to show or rotate', { tags: ['agent-sign-in.grant'] }, async () => {
    await program.signIn(owner);
    const [key] = (await owner.call('GET', '/keys')).body.keys;
    const rotated = await owner.call('POST', `/keys/${key.id}/rotate`, { body: {} });
    expect([rotated.status, rotated.body.errors[0].code]).toEqual([422, 'conflict']);
  });

  it('registers at most thirty times a minute from one address', { tags: ['agent-sign-in.limits'] }, async () => {
    server.clock.advance(61_000);
    const statuses = [];
    for (let at = 0; at < 32; at += 1) statuses.push((await register({ redirect_uris: ['http://127.0.0.1/'] })).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(30);
    expect(statuses.at(-1)).toBe(429);
    server.clock.advance(61_000);
  });

  it('leaves no token, code or id of a request in the database', { tags: ['agent-sign-in.storage'] }, async () => {
    const asked = await program.ask(owner);
    const returned = await program.decide(owner, asked);
    const tokens = tokensOf(await program.exchange(returned, asked));
    const rows = await server.database.sql`
      SELECT payload::text AS text FROM oauth_records UNION ALL SELECT t::text FROM access_tokens t UNION ALL SELECT k::text FROM api_keys k`;
    const stored = JSON.stringify(rows);
    for (const secret of [tokens.access, tokens.refresh, returned.searchParams.get('code') ?? '']) {
      expect(stored).not.toContain(secret);
    }
  });
});
