import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { readInstallationMail } from '../../harness/installation-mail.ts';
import { browserOf, cookieOf } from '../../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../../harness/test-app.ts';

const SUBJECT = 'Your sign-in link';

describe('a sign-in link', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_SIGNUP: 'closed' } });
  });
  afterAll(() => server.close());
  // Of the links mailed before, none counts any more.
  beforeEach(() => server.clock.advance(60 * 60_000));

  async function ask(email: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    return await server.call('POST', '/auth/magic-link', { key: null, body: { email }, headers });
  }
  /** The link's path in the last mail to an address. */
  async function linkFor(email: string): Promise<string> {
    await server.app.services.auth.links.idle();
    const mail = (await readInstallationMail(server.database, { to: email })).at(-1);
    const path = /\/auth\/magic-link\/[\w-]{43}/.exec(mail?.text ?? '')?.[0];
    if (path === undefined) throw new Error(`no link for ${email}`);
    return path;
  }
  async function askAndTake(email = 'owner@sandbox.test') {
    const response = await ask(email);
    return { path: await linkFor(email), browser: browserOf(server, cookieOf(response, 'sign-in')), response };
  }

  it('signs in with the button of its page, in the browser that requested it', {
    tags: ['sessions.magic-link', 'sessions.bodies'],
  }, async () => {
    const { path, browser, response } = await askAndTake();
    await expect.poll(async () => (await delivered(server, 'owner@sandbox.test')).length).toBe(1);
    expect([response.status, response.body]).toEqual([202, { ok: true }]);
    const page = await browser.call('GET', path);
    expect(page.status).toBe(200);
    expect(page.body).toMatch(/<form method="post"><button type="submit"/);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    // With no-referrer browsers send the Origin `null` with forms.
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    const spent = await browser.call('POST', path);
    expect([spent.status, spent.headers.get('location')]).toEqual([303, '/console']);
    const session = await browserOf(server, cookieOf(spent, 'session')).call('GET', '/auth/session');
    expect(session.body).toMatchObject({ authenticated: true, user: { email: 'owner@sandbox.test', role: 'owner' } });
  });

  it('is not used up by programs that follow the links in mail', { tags: ['sessions.magic-link'] }, async () => {
    const { path, browser } = await askAndTake();
    for (let i = 0; i < 3; i++) expect((await server.call('GET', path, { key: null })).status).toBe(200);
    expect((await server.call('POST', path, { key: null })).status).toBe(404);
    expect((await browser.call('POST', path)).status).toBe(303);
  });

  it('works once, however many use it in parallel', { tags: ['sessions.magic-link'] }, async () => {
    const { path, browser } = await askAndTake();
    const uses = await Promise.all(Array.from({ length: 50 }, () => browser.call('POST', path)));
    expect(uses.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(uses.filter(({ status }) => status === 404)).toHaveLength(49);
  });

  it('works for ten minutes', async () => {
    const { path, browser } = await askAndTake();
    server.clock.advance(10 * 60_000 + 1);
    expect((await browser.call('POST', path)).status).toBe(404);
  });

  it('is useless in another browser, forged or cut short', async () => {
    const { path, browser } = await askAndTake();
    const other = browserOf(server, cookieOf(await ask('nobody@example.com'), 'sign-in'));
    expect((await other.call('POST', path)).status).toBe(404);
    for (const wrong of [
      path.slice(0, -1),
      `${path.slice(0, -1)}!`,
      '/auth/magic-link/x',
      `${path}A`,
      `/auth/magic-link/${'A'.repeat(43)}`,
    ])
      expect((await browser.call('POST', wrong)).status).toBe(404);
    expect((await browser.call('POST', path, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await browser.call('POST', path, { headers: { accept: 'application/json' } })).body.authenticated).toBe(
      true,
    );
  });

  it('gets the same response for an unknown address, as fast, and no mail is sent', async () => {
    const took = async (email: string) => {
      const began = performance.now();
      const response = await ask(email);
      expect([response.status, response.body, response.headers.getSetCookie().length]).toEqual([202, { ok: true }, 1]);
      return performance.now() - began;
    };
    const times: Record<string, number[]> = { 'owner@sandbox.test': [], 'stranger@sandbox.test': [] };
    for (let i = 0; i < 12; i++) {
      server.clock.advance(3 * 60_000); // Else most of them would be over the limits and do less.
      for (const [email, list] of Object.entries(times)) list.push(await took(email));
    }
    const [known = 0, unknown = 0] = Object.values(times).map((list) => list.sort((a, b) => a - b)[6] ?? 0);
    expect(Math.max(known, unknown) / Math.min(known, unknown)).toBeLessThan(3);
    await server.app.services.auth.links.idle();
    expect(await delivered(server, 'stranger@sandbox.test')).toEqual([]);
  });

  it('ends the session the browser had before, and starts one with another token', async () => {
    const { path, browser } = await askAndTake();
    const first = cookieOf(await browser.call('POST', path), 'session');
    const again = await askAndTake();
    const planted = browserOf(server, `${again.browser.cookie}; ${first}`);
    const second = cookieOf(await planted.call('POST', again.path), 'session');
    expect(second).not.toBe(first);
    expect((await browserOf(server, first).call('GET', '/auth/session')).body.authenticated).toBe(false);
    const signedIn = browserOf(server, second);
    expect((await signedIn.call('GET', '/auth/session')).body.authenticated).toBe(true);
    const { entries } = (await signedIn.call('GET', '/audit?action=session&limit=3')).body;
    expect(entries.slice(0, 2).map(({ action }: { action: string }) => action)).toEqual([
      'session.started',
      'session.ended',
    ]);
    expect(entries[1].targetId).not.toBe(entries[0].targetId);
  });

  it('is requested on a page that needs no script, and redirects to a page of this server only', async () => {
    const page = await server.call('GET', '/auth/sign-in?next=/auth/device', { key: null });
    expect(page.body).toContain('name="next" value="/auth/device"');
    // Only passkeys use it; test/surfaces/passkey-pages.test.ts signs in by mail without scripts.
    expect(page.body.match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/ src="\/assets\/[\w-]+\/passkey\.js">$/),
    ]);
    for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])
      expect(
        (await server.call('GET', `/auth/sign-in?next=${encodeURIComponent(next)}`, { key: null })).body,
      ).not.toContain('name="next"');
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: server.baseUrl };
    const rawBody = 'email=owner%40sandbox.test&next=%2Fauth%2Fdevice';
    const asked = await server.call('POST', '/auth/sign-in', { key: null, headers: form, rawBody });
    expect(asked.status).toBe(202);
    const path = await linkFor('owner@sandbox.test');
    const spent = await browserOf(server, cookieOf(asked, 'sign-in')).call('POST', path);
    expect([spent.status, spent.headers.get('location')]).toEqual([303, '/auth/device']);
    // Else a page elsewhere could plant its own link in the browser, and have the person sign in as someone else.
    for (const origin of ['https://evil.example', 'null']) {
      const foreign = { ...form, origin };
      const planted = await server.call('POST', '/auth/sign-in', { key: null, headers: foreign, rawBody });
      expectProblem(planted, 403, 'missing_scope');
      expect(planted.headers.getSetCookie()).toEqual([]);
    }
    const wrong = await server.call('POST', '/auth/sign-in', { key: null, headers: form, rawBody: 'email=%3Cb%3E' });
    expect([wrong.status, wrong.body]).toEqual([422, expect.stringContaining('This is not a valid email address.')]);
  });

  it('rejects invalid addresses, and fields that do not exist', async () => {
    expectInvalid(await ask('x'), 'email');
    const body = { email: 'a@b.test', role: 'owner' };
    expectInvalid(await server.call('POST', '/auth/magic-link', { key: null, body }), 'role');
    expectProblem(await server.call('GET', '/auth/magic-link', { key: null }), 405, 'method_not_allowed');
    expectProblem(await server.call('PATCH', '/auth/magic-link/x', { key: null }), 405, 'method_not_allowed');
  });

  it('creates no account when sign-up is closed, and one when it is open', {
    tags: ['sessions.signup', 'contract-settings.signup'],
  }, async () => {
    const refused = await server.call('POST', '/dev/session', { key: null, body: { email: 'new@sandbox.test' } });
    expectProblem(refused, 404, 'not_found');
    expect(await server.database.sql`SELECT FROM users WHERE email = 'new@sandbox.test'`).toHaveLength(0);
    const open = await startTestApp({ database: server.database, settings: { POSTRIDER_SIGNUP: 'open' } });
    try {
      const made = await Promise.all(
        [1, 2, 3].map(() => open.call('POST', '/dev/session', { key: null, body: { email: 'New@sandbox.test' } })),
      );
      expect(new Set(made.map(({ body }) => body.account.id)).size).toBe(1);
      expect(made[0]?.body).toMatchObject({ user: { email: 'New@sandbox.test', role: 'owner' } });
    } finally {
      await open.close();
    }
  });
});

/** What was mailed to an address, once it is there. */
async function delivered(server: TestApp, email: string) {
  await server.pump();
  const mails = await readCaptured(server, SUBJECT);
  return mails.filter(({ to }) => to.includes(email));
}
