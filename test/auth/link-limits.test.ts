import { readFile } from 'node:fs/promises';
import { LIMITS, OPERATIONS } from '@postrider/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { browserOf, cookieOf } from '../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';

const OWNER = 'owner@sandbox.test';
const KNOWN = 'known-browser';
const PER_CLIENT = LIMITS.magicLinksPerClientAndAddress;

describe('how many sign-in links are mailed', () => {
  let server: TestApp;
  beforeEach(async () => {
    server = await startTestApp({ settings: { POSTRIDER_SIGNUP: 'open', POSTRIDER_TRUSTED_PROXIES: '127.0.0.1' } });
  });
  afterEach(() => server.close());

  const ask = async (email: string, from: string, cookie = ''): Promise<TestResponse> =>
    await server.call('POST', '/auth/magic-link', {
      ...{ key: null, body: { email } },
      headers: { 'x-forwarded-for': from, ...(cookie === '' ? {} : { cookie }) },
    });
  const askOften = async (count: number, email: (i: number) => string, from: (i: number) => string) => {
    for (let i = 0; i < count; i += 1) expect((await ask(email(i), from(i))).status).toBe(202);
  };
  const mailed = async (to: string) => {
    await server.app.services.auth.links.idle();
    return await readInstallationMail(server.database, { to });
  };
  const count = async (to = OWNER) => (await mailed(to)).length;
  const attack = async () =>
    await askOften(
      LIMITS.magicLinksPerAddress + 5,
      () => OWNER,
      (i) => `203.0.113.${i}`,
    );

  /** Signs in by mail, and returns the cookie that the browser keeps afterwards. */
  async function signIn(email: string): Promise<string> {
    const asked = await ask(email, '192.0.2.77');
    const path = /\/auth\/magic-link\/[\w-]{43}/.exec((await mailed(email)).at(-1)?.text ?? '')?.[0] ?? '';
    const spent = await browserOf(server, cookieOf(asked, 'sign-in')).call('POST', path);
    expect(spent.status).toBe(303);
    server.clock.advance(60 * 60_000);
    return cookieOf(spent, KNOWN);
  }

  it('keeps links for a user when another client has used up its own', async () => {
    await askOften(
      PER_CLIENT + 5,
      () => OWNER,
      () => '203.0.113.1',
    );
    expect(await count()).toBe(PER_CLIENT);
    await ask(OWNER, '198.51.100.1');
    expect(await count()).toBe(PER_CLIENT + 1);
    server.clock.advance(10 * 60_000 + 1);
    await ask(OWNER, '203.0.113.1');
    expect(await count()).toBe(PER_CLIENT + 2);
  });

  it('limits what one client has mailed to all addresses, and counts an IPv6 /64 as one client', async () => {
    const MANY = LIMITS.magicLinksPerClient + 10;
    const last = `p${MANY - 1}@sandbox.test`;
    await askOften(
      MANY,
      (i) => `p${i}@sandbox.test`,
      (i) => `2001:db8::${i + 1}`,
    );
    const counts = await Promise.all(Array.from({ length: MANY }, (_, i) => count(`p${i}@sandbox.test`)));
    expect(counts.filter((mails) => mails === 1)).toHaveLength(LIMITS.magicLinksPerClient);
    await ask(last, '2001:db8:0:1::1');
    expect(await count(last)).toBe(1);
  });

  it('mails one link a minute to a browser that signed in before, whatever others used up', async () => {
    const known = await signIn(OWNER);
    const before = await count();
    await attack();
    expect(await count()).toBe(before + LIMITS.magicLinksPerAddress);
    await ask(OWNER, '198.51.100.9');
    expect(await count()).toBe(before + LIMITS.magicLinksPerAddress);
    const response = await ask(OWNER, '198.51.100.9', known);
    expect([response.status, response.body]).toEqual([202, { ok: true }]);
    expect(await count()).toBe(before + LIMITS.magicLinksPerAddress + 1);
    await ask(OWNER, '198.51.100.9', known);
    expect(await count()).toBe(before + LIMITS.magicLinksPerAddress + 1);
    server.clock.advance(60_001);
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: server.baseUrl, cookie: known };
    const rawBody = 'email=owner%40sandbox.test';
    expect((await server.call('POST', '/auth/sign-in', { key: null, headers: form, rawBody })).status).toBe(202);
    expect(await count()).toBe(before + LIMITS.magicLinksPerAddress + 2);
  });

  it('ignores cookies that belong to another user, are forged or truncated', async () => {
    const other = await signIn('eve@sandbox.test');
    await attack();
    const before = await count();
    for (const cookie of [other, `${KNOWN}=${OWNER}`, `${other.slice(0, -4)}AAAA`, `${KNOWN}=`])
      await ask(OWNER, '198.51.100.9', cookie);
    expect(await count()).toBe(before);
  });

  it('mails a link with any key as without one, and docs/keys.md says that anyone may ask', async () => {
    const key = await server.newKey({ mode: 'test' });
    const request = { key, body: { email: OWNER }, headers: { 'x-forwarded-for': '203.0.113.1' } };
    expect((await server.call('POST', '/auth/magic-link', request)).status).toBe(202);
    expect(await count()).toBe(1);
    const keysDoc = await readFile(new URL('../../docs/keys.md', import.meta.url), 'utf8');
    const open = OPERATIONS.filter(({ access, reach }) => access.kind === 'public' && reach !== 'none');
    expect(open.map(({ id }) => id)).toContain('auth.magic-link');
    for (const { id } of open) expect(keysDoc).toContain(`\`${id}\` (open to anyone)`);
  });

  it('counts addresses that do not exist the same way, across all server processes', async () => {
    const second = await startTestApp({ database: server.database, settings: { POSTRIDER_SIGNUP: 'open' } });
    try {
      const request = { email: OWNER, next: null, browser: null, known: null, address: '203.0.113.1' };
      const processes = [server, second].map(({ app }) => app.services.auth.links);
      for (let i = 0; i < PER_CLIENT; i += 1) for (const links of processes) await links.request(request);
      for (const links of processes) await links.idle();
      expect(await count()).toBe(PER_CLIENT);
      const rows = await server.database.sql`SELECT cardinality(tried_at) AS count FROM code_tries ORDER BY tried_by`;
      await askOften(
        2 * PER_CLIENT,
        () => 'nobody@nowhere.test',
        () => '203.0.113.2',
      );
      const again = await server.database.sql`
        SELECT cardinality(tried_at) AS count FROM code_tries WHERE tried_by LIKE '%203.0.113.2%' OR tried_by LIKE '%nowhere%'
        ORDER BY tried_by`;
      expect(again).toEqual(rows);
    } finally {
      await second.close();
    }
  });
});
