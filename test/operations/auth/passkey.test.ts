import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { relyingPartyOf } from '../../../packages/server/src/auth/passkeys/relying-party.ts';
import { purgeSpentChallenges } from '../../../packages/server/src/db/queries/passkeys.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { createPasskey, type TestPasskey } from '../../harness/passkey-authenticator.ts';
import { addPasskey, signInWith, startRegistering, startSigningIn } from '../../harness/passkeys.ts';
import { browserOf, cookieOf, joinAs, signInAs, type TestSession } from '../../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../../harness/test-app.ts';

describe('signing in with a passkey', () => {
  const log: string[] = [];
  let server: TestApp;
  let owner: TestSession;
  let passkey: TestPasskey;
  beforeAll(async () => {
    server = await startTestApp({ log: { write: (line) => log.push(line) } });
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  beforeEach(async () => {
    await server.database.sql`DELETE FROM passkeys`;
    ({ passkey } = await addPasskey(server, owner, { signing: { counter: 5 } }));
    log.length = 0;
  });
  afterAll(() => server.close());

  /** One message for every passkey that proves nothing, and no session. */
  const expectRefusal = (response: TestResponse) => {
    expectProblem(response, 404, 'not_found');
    expect(response.body.detail).toBe('No user of this server has this passkey. It may have been removed.');
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^passkey=; Max-Age=0/)]);
  };
  const expectNoChallenge = (response: TestResponse) => {
    expectProblem(response, 404, 'not_found');
    expect(response.body.detail).toMatch(/^The request for a passkey was used already/);
  };

  it('starts the same session as a sign-in link, and ends the former one', {
    tags: ['sessions.passkey-sign-in'],
  }, async () => {
    const former = await signInAs(server, 'owner@sandbox.test');
    const response = await signInWith(server, passkey, { signing: { counter: 6 }, cookie: former.cookie });
    expect([response.status, response.body.user.email]).toEqual([200, 'owner@sandbox.test']);
    const cookies = response.headers.getSetCookie().map((line) => line.slice(0, line.indexOf('=')));
    expect(cookies).toEqual(['passkey', 'session', 'known-browser', 'sign-in', 'oauth']);
    const signedIn = browserOf(server, cookieOf(response, 'session'));
    expect((await signedIn.call('GET', '/auth/session')).body).toMatchObject({ authenticated: true, device: null });
    expect((await former.call('GET', '/auth/session')).body.authenticated).toBe(false);
    const [started, ended] = (await signedIn.call('GET', '/audit?action=session&limit=2')).body.entries;
    expect(started).toMatchObject({
      action: 'session.started',
      actor: owner.user.memberId,
      details: { how: 'passkey' },
    });
    expect(ended.action).toBe('session.ended');
    const { passkeys } = (await signedIn.call('GET', '/passkeys')).body;
    expect(passkeys).toMatchObject([{ name: 'Laptop', lastUsedAt: expect.any(String) }]);
  });

  it('works with authenticators that do not count', { tags: ['sessions.passkey-sign-in'] }, async () => {
    const silent = (await addPasskey(server, owner)).passkey;
    for (let i = 0; i < 2; i++) expect((await signInWith(server, silent)).status).toBe(200);
  });

  it('requests any passkey of this server that verifies its user, and names no one', {
    tags: ['sessions.passkey-sign-in', 'sessions.passkey-refusals'],
  }, async () => {
    const { options } = await startSigningIn(server);
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      ...{ rpId: 'localhost', timeout: 300_000, userVerification: 'required' },
    });
    expect((await startSigningIn(server)).options.challenge).not.toBe(options.challenge);
  });

  it('accepts a challenge once, even if the response is sent twice at the same time', {
    tags: ['sessions.passkey-challenges'],
  }, async () => {
    const silent = (await addPasskey(server, owner)).passkey;
    const challenged = await startSigningIn(server);
    const both = await Promise.all([0, 1].map(() => signInWith(server, silent, { challenged })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
    expectNoChallenge(await signInWith(server, silent, { challenged }));
    const other = await startTestApp({ database: server.database });
    const origin = server.baseUrl;
    expectNoChallenge(await signInWith(other, silent, { challenged, signing: { origin } }));
    await other.close();
  });

  it('uses up the challenge of a response that proves nothing', { tags: ['sessions.passkey-challenges'] }, async () => {
    const challenged = await startSigningIn(server);
    expectRefusal(await signInWith(server, createPasskey(), { challenged, signing: { userHandle: 'AAAA' } }));
    expectNoChallenge(await signInWith(server, passkey, { challenged, signing: { counter: 6 } }));
  });

  it('accepts a challenge for five minutes', { tags: ['sessions.passkey-challenges'] }, async () => {
    const [early, late] = [await startSigningIn(server), await startSigningIn(server)];
    server.clock.advance(299_000);
    expect((await signInWith(server, passkey, { challenged: early, signing: { counter: 6 } })).status).toBe(200);
    server.clock.advance(1_000);
    expectNoChallenge(await signInWith(server, passkey, { challenged: late, signing: { counter: 7 } }));
    await purgeSpentChallenges(server.database.sql, server.clock.now());
    expect(await server.database.sql`SELECT FROM spent_challenges WHERE expires_at <= ${server.clock.now()}`).toEqual(
      [],
    );
  });

  it('rejects a challenge of another browser, of another purpose, or that was made up', {
    tags: ['sessions.passkey-challenges'],
  }, async () => {
    const signing = { counter: 6 };
    const [victim, attacker] = [await startSigningIn(server), await startSigningIn(server)];
    const { options } = victim;
    expectRefusal(await signInWith(server, passkey, { challenged: { options, cookie: attacker.cookie }, signing }));
    for (const cookie of [
      'a=b',
      'passkey=',
      `passkey=${victim.cookie.slice(12)}`,
      `${victim.cookie}; ${victim.cookie}`,
    ])
      expectNoChallenge(await signInWith(server, passkey, { challenged: { options, cookie }, signing }));
    const forRegistering = await startRegistering(owner, server.baseUrl);
    expectNoChallenge(await signInWith(server, passkey, { challenged: forRegistering, signing }));
    const forSigningIn = await startSigningIn(server);
    const challenged = { cookie: forSigningIn.cookie, options: { ...forRegistering.options, ...forSigningIn.options } };
    expectProblem(await addPasskey(server, owner, { challenged }), 404, 'not_found');
  });

  it('refuses a passkey of another origin, without verification of its user, or of another user', {
    tags: ['sessions.passkey-refusals'],
  }, async () => {
    const admin = await joinAs(server, owner, 'admin');
    const userHandle = Buffer.from(admin.user.id.replaceAll('-', ''), 'hex').toString('base64url');
    for (const signing of [
      { origin: 'https://evil.example' },
      { origin: server.baseUrl.replace(/:\d+$/, ':1') },
      { origin: server.baseUrl.replace('http:', 'https:') },
      { rpId: 'evil.example' },
      { isUserVerified: false },
      { type: 'webauthn.create' },
      { isFramed: true },
      { userHandle },
    ])
      expectRefusal(await signInWith(server, passkey, { signing: { counter: 6, ...signing } }));
    const localhost = server.baseUrl.replace('127.0.0.1', 'localhost');
    expect((await signInWith(server, passkey, { signing: { counter: 6, origin: localhost } })).status).toBe(200);
  });

  it('refuses a signature by another key, and a passkey that was never added', {
    tags: ['sessions.passkey-refusals'],
  }, async () => {
    const { options, cookie } = await startSigningIn(server);
    const signing = { origin: server.baseUrl, counter: 6 };
    const [own, forged] = [passkey.sign(options, signing), createPasskey().sign(options, signing)];
    const credential = { ...own, response: { ...own.response, signature: forged.response['signature'] } };
    const headers = { origin: server.baseUrl, cookie };
    const send = (body: unknown) => server.call('POST', '/auth/passkeys/sign-in', { key: null, headers, body });
    expectRefusal(await send({ credential }));
    const stranger = createPasskey();
    const handle = Buffer.from(owner.user.id.replaceAll('-', ''), 'hex').toString('base64url');
    expectRefusal(await signInWith(server, stranger, { signing: { userHandle: handle } }));
  });

  it('refuses a passkey that its user has removed', { tags: ['sessions.passkey-refusals'] }, async () => {
    const challenged = await startSigningIn(server);
    const [{ id }] = (await owner.call('GET', '/passkeys')).body.passkeys;
    await owner.call('DELETE', `/passkeys/${id}`);
    expectRefusal(await signInWith(server, passkey, { challenged, signing: { counter: 6 } }));
  });

  it('refuses and logs a passkey whose counter did not grow, because it may have been copied', {
    tags: ['sessions.passkey-refusals'],
  }, async () => {
    expect((await signInWith(server, passkey, { signing: { counter: 9 } })).status).toBe(200);
    for (const counter of [9, 8, 0]) expectRefusal(await signInWith(server, passkey, { signing: { counter } }));
    const warnings = log.filter((line) => line.includes('refusing passkey'));
    expect(warnings.length).toBe(3);
    expect(warnings[1]).toMatch(/did not grow from 9: it is 8/);
    expect((await signInWith(server, passkey, { signing: { counter: 10 } })).status).toBe(200);
    const challenges = [await startSigningIn(server), await startSigningIn(server)];
    const copies = challenges.map((challenged) =>
      signInWith(server, passkey, { challenged, signing: { counter: 11 } }),
    );
    expect((await Promise.all(copies)).map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  it('refuses a user without a seat, even where sign-up is open, and forgets the passkeys of users who are removed', {
    tags: ['sessions.passkey-refusals'],
  }, async () => {
    const { sql } = server.database;
    const viewer = await joinAs(server, owner, 'viewer');
    const lost = (await addPasskey(server, viewer)).passkey;
    expect((await owner.call('DELETE', `/team/${viewer.user.memberId}`)).status).toBe(200);
    const refused = await signInWith(server, lost);
    expectProblem(refused, 404, 'not_found');
    expect(refused.body.detail).toMatch(/^No account on this server has a seat/);
    expect(refused.headers.getSetCookie().length).toBe(1);
    expect(await sql`SELECT FROM sessions WHERE user_id = ${viewer.user.id}`).toEqual([]);
    expect(await sql`SELECT FROM accounts WHERE name = 'viewer@sandbox.test'`).toEqual([]);
    await sql`DELETE FROM users WHERE id = ${viewer.user.id}`;
    expectRefusal(await signInWith(server, lost));
  });

  it('starts and ends on pages of this server only', { tags: ['sessions.passkey-challenges'] }, async () => {
    const { options, cookie } = await startSigningIn(server);
    const credential = passkey.sign(options, { origin: server.baseUrl, counter: 6 });
    for (const path of ['/auth/passkeys/sign-in', '/auth/passkeys/sign-in/options']) {
      for (const headers of [
        {},
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: server.baseUrl, 'sec-fetch-site': 'cross-site' },
      ]) {
        const sent = { key: null, headers: { ...headers, cookie }, body: { credential } };
        const response = await server.call('POST', path, sent);
        expectProblem(response, 403, 'missing_scope');
        expect(response.headers.getSetCookie()).toEqual([]);
      }
    }
  });

  it('rejects malformed bodies without using up the challenge', { tags: ['sessions.passkey-challenges'] }, async () => {
    const challenged = await startSigningIn(server);
    const headers = { origin: server.baseUrl, cookie: challenged.cookie };
    const send = (body: unknown) => server.call('POST', '/auth/passkeys/sign-in', { key: null, headers, body });
    const signed = passkey.sign(challenged.options, { origin: server.baseUrl });
    for (const response of [{}, { ...signed.response, userHandle: null }, { ...signed.response, signature: 'a+b' }])
      expectInvalid(await send({ credential: { ...signed, response } }));
    expectInvalid(await send({ credential: { ...signed, type: 'password' } }), 'credential.type');
    expectProblem(await send({ credential: { ...signed, id: 'x'.repeat(17_000) } }), 413, 'payload_too_large');
    // Nested as deep as its size allows, where the library expects a map.
    const deep = Buffer.alloc(9_000, 0x81).toString('base64url');
    const nested = { ...signed, response: { ...signed.response, authenticatorData: deep } };
    expectRefusal(await send({ credential: nested }));
  });
});

describe('the name that passkeys are bound to', { tags: ['sessions.passkey-sign-in'] }, () => {
  it.each([
    ['https://mail.example.com', 'mail.example.com', ['https://mail.example.com']],
    ['https://mail.example.com:8443/', 'mail.example.com', ['https://mail.example.com:8443']],
    ['http://127.0.0.1:2500', 'localhost', ['localhost', '127.0.0.1', '[::1]'].map((name) => `http://${name}:2500`)],
  ])('is the host name of the base URL %s', (baseUrl, id, origins) => {
    expect(relyingPartyOf(baseUrl)).toMatchObject({ id, origins });
  });

  it.each(['https://192.0.2.7', 'https://[2001:db8::7]:2500'])('does not exist for the address %s', (baseUrl) => {
    expect(relyingPartyOf(baseUrl)).toBeNull();
  });
});
