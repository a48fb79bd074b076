import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConsoleLink } from '../../packages/server/src/auth/console-link.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { browserOf, cookieOf, signInAs } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const OWNER = 'owner@sandbox.test';

describe('the link that a development start prints', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const create = async (email = OWNER) =>
    `/console/open/${await createConsoleLink({ sql: server.database.sql, clock: server.clock }, email)}`;
  const open = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    server.call(method, path, { key: null, headers });
  const isDead = async (path: string) => {
    const { status, body, headers } = await open(path);
    expect([status, headers.get('set-cookie')]).toEqual([404, null]);
    expect(body).toContain('Start the server again for a new link, or sign in.');
    expect(body).toContain('href="/auth/sign-in"');
  };

  it('opens the console signed in, once, and says so in the audit log', {
    tags: ['contract-running.open-console'],
  }, async () => {
    const path = await create();
    const uses = await Promise.all(Array.from({ length: 20 }, () => open(path)));
    expect(uses.filter(({ status }) => status === 404)).toHaveLength(19);
    const [opened] = uses.filter(({ status }) => status === 303);
    if (opened === undefined) throw new Error('no use succeeded');
    expect(opened.headers.get('location')).toBe('/console');
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer');
    const browser = browserOf(server, cookieOf(opened, 'session'));
    expect((await browser.call('GET', '/auth/session')).body.user).toMatchObject({ email: OWNER, role: 'owner' });
    const { entries } = (await browser.call('GET', '/audit?action=session.started&limit=1')).body;
    expect(entries[0].details).toMatchObject({ how: 'development' });
    await isDead(path);
  });

  it('is not used up by requests that only look at it', { tags: ['contract-running.open-console'] }, async () => {
    const path = await create();
    const head = await open(path, {}, 'HEAD');
    expect([head.status, head.headers.get('set-cookie')]).toEqual([200, null]);
    for (const purpose of ['prefetch', 'prefetch;prerender']) {
      const early = await open(path, { 'sec-purpose': purpose });
      expect([early.status, early.headers.get('set-cookie')]).toEqual([503, null]);
    }
    expectProblem(await open(path, {}, 'POST'), 405, 'method_not_allowed');
    expect((await open(path)).status).toBe(303);
  });

  it('ends the session that the browser had', { tags: ['contract-running.open-console'] }, async () => {
    const former = await signInAs(server, OWNER);
    expect((await open(await create(), { cookie: former.cookie })).status).toBe(303);
    expect((await former.call('GET', '/account')).status).toBe(401);
  });

  it('does not work after a day, altered, or of a user without a seat', {
    tags: ['contract-running.open-console'],
  }, async () => {
    const path = await create();
    for (const wrong of ['x', 'A'.repeat(43), `${path.slice(14)}A`, path.slice(14, -1)]) {
      await isDead(`/console/open/${wrong}`);
    }
    server.clock.advance(24 * 60 * 60_000);
    await isDead(path);
    const closed = await startTestApp({ database: server.database, settings: { POSTRIDER_SIGNUP: 'closed' } });
    const stranger = await create('stranger@sandbox.test');
    const refused = await closed.call('GET', stranger, { key: null });
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null]);
    await closed.close();
  });

  it('is useless as the link of a mail, whatever the cookie', { tags: ['contract-running.open-console'] }, async () => {
    const path = await create();
    const token = path.slice('/console/open/'.length);
    for (const browser of [token, 'printed at a start']) {
      const spent = await server.call('POST', `/auth/magic-link/${token}`, {
        ...{ key: null, headers: { cookie: `sign-in=${browser}`, origin: server.baseUrl } },
      });
      expect(spent.status).toBe(404);
    }
    expect((await open(path)).status).toBe(303);
  });

  it('returns nothing under another host name, or to a page of another origin', {
    tags: ['contract-running.open-console'],
  }, async () => {
    const path = await create();
    const request = (headers: string) =>
      sendRaw(server.baseUrl, `GET ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    const { host } = new URL(server.baseUrl);
    expect(await request('Host: evil.example\r\n')).toContain('404 Not Found');
    expect(await request(`Host: ${host}\r\nOrigin: https://evil.example\r\n`)).toContain('404 Not Found');
    expect(await request(`Host: ${host}\r\n`)).toContain('303 See Other');
  });
});

describe('in production', () => {
  it('the link does not exist', { tags: ['contract-running.open-console'] }, async () => {
    const server = await startTestApp({ settings: { POSTRIDER_MODE: 'production' } });
    const token = await createConsoleLink({ sql: server.database.sql, clock: server.clock }, OWNER);
    expectProblem(await server.call('GET', `/console/open/${token}`, { key: null }), 404, 'not_found');
    await server.close();
  });
});
