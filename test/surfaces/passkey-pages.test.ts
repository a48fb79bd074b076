import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBrowser } from '../harness/browser.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { addPasskey } from '../harness/passkeys.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

/** A browser with its own authenticator, at the name that passkeys of a server on loopback are bound to. */
interface Desk {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
  /** What the browser complained about, such as a script that the policy forbids. */
  readonly complaints: readonly string[];
}

describe('the pages for passkeys in a browser', () => {
  let server: TestApp;
  let browser: Browser;
  let owner: TestSession;
  let origin: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
    origin = server.baseUrl.replace('127.0.0.1', 'localhost');
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  beforeEach(async () => {
    await server.database.sql`DELETE FROM passkeys`;
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  async function sitDown(options: Parameters<Browser['newContext']>[0] = {}): Promise<Desk> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => undefined);
    });
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    return { context, page, cdp, authenticatorId, complaints };
  }
  const headingOf = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
  const signInByAddress = async ({ context }: Desk, email: string) => {
    const response = await context.request.post(`${origin}/dev/session`, { data: { email } });
    expect(response.status()).toBe(200);
  };
  /** Adds a passkey on the page. */
  const add = async ({ page }: Desk, name: string) => {
    await page.goto(`${origin}/auth/passkeys`);
    await page.getByLabel('A name for the new passkey').fill(name);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.locator('li').last().waitFor();
  };
  const signOut = async ({ page }: Desk) => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
  };
  /** Presses the button of the sign-in page, and returns the message that it then shows. */
  const refusalOf = async ({ page }: Desk) => {
    await page.goto(`${origin}/auth/sign-in`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    return await page.getByRole('alert').textContent();
  };
  /** A desk whose user has added a passkey and signed out. */
  async function deskOf(email: string): Promise<Desk> {
    const desk = await sitDown();
    await signInByAddress(desk, email);
    await add(desk, 'Laptop');
    await signOut(desk);
    return desk;
  }

  it.each(['light', 'dark'] as const)(
    'add a passkey, and sign its user in again, on a phone, %s',
    {
      tags: ['sessions.passkeys', 'sessions.passkey-sign-in'],
    },
    async (colorScheme) => {
      const viewport = { width: 320, height: 568 };
      const desk = await sitDown({ viewport, colorScheme });
      const { page, context } = desk;
      const fits = async () => expect(await page.evaluate(overflow)).toBe(0);
      await page.goto(`${origin}/auth/passkeys`);
      expect(new URL(page.url()).searchParams.get('next')).toBe('/auth/passkeys');
      await fits();
      await signInByAddress(desk, 'owner@sandbox.test');
      await add(desk, `Laptop ${'x'.repeat(50)}`);
      expect(await page.locator('li').textContent()).toMatch(/^Laptop x+Added \w{3} \d+, \d{4}, not used yet/);
      await fits();
      await signOut(desk);
      await page.goto(`${origin}/auth/sign-in?next=${encodeURIComponent('/auth/passkeys')}`);
      await fits();
      await page.getByRole('button', { name: 'Sign in with a passkey' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your passkeys' }).waitFor();
      expect(await page.locator('li').textContent()).toMatch(/last used \w{3} \d+, \d{4}/);
      expect((await context.cookies()).find(({ name }) => name === 'session')).toMatchObject({
        ...{ httpOnly: true, sameSite: 'Lax', path: '/' },
      });
      expect((await context.cookies()).map(({ name }) => name)).not.toContain('passkey');
      await signOut(desk);
      await page.goto(`${origin}/auth/sign-in`);
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.waitForURL(`${origin}/console`);
      expect(desk.complaints).toEqual([]);
      await context.close();
    },
  );

  it('refuse a passkey that was removed on the page', { tags: ['sessions.passkey-refusals'] }, async () => {
    const desk = await deskOf('owner@sandbox.test');
    const [{ id }] = (await owner.call('GET', '/passkeys')).body.passkeys;
    await signInByAddress(desk, 'owner@sandbox.test');
    await desk.page.goto(`${origin}/auth/passkeys`);
    await desk.page.getByRole('button', { name: 'Remove the passkey Laptop' }).click();
    await desk.page.getByText('You have none.').waitFor();
    expect((await owner.call('GET', '/audit?action=passkey.removed')).body.entries[0].targetId).toBe(id);
    await signOut(desk);
    expect(await refusalOf(desk)).toBe('No user of this server has this passkey. It may have been removed.');
    await desk.context.close();
  });

  it('refuse a copy of an authenticator', { tags: ['sessions.passkey-refusals'] }, async () => {
    const desk = await deskOf('owner@sandbox.test');
    const { cdp, authenticatorId, page } = desk;
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    const [copied] = credentials;
    if (copied === undefined) throw new Error('no credential');
    await page.goto(`${origin}/auth/sign-in`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(`${origin}/console`);
    await signOut(desk);
    const thief = await sitDown();
    await thief.cdp.send('WebAuthn.addCredential', { authenticatorId: thief.authenticatorId, credential: copied });
    expect(await refusalOf(thief)).toMatch(/^No user of this server has this passkey/);
    await Promise.all([desk.context.close(), thief.context.close()]);
  });

  it('refuse a user who has lost the last seat', { tags: ['sessions.passkey-refusals'] }, async () => {
    const viewer = await joinAs(server, owner, 'viewer');
    const desk = await deskOf('viewer@sandbox.test');
    await owner.call('DELETE', `/team/${viewer.user.memberId}`);
    expect(await refusalOf(desk)).toMatch(/^No account on this server has a seat/);
    expect((await desk.context.cookies()).filter(({ name }) => name === 'session')).toEqual([]);
    await desk.context.close();
  });

  it('refuse a signature that a page of another origin relays', { tags: ['sessions.passkey-refusals'] }, async () => {
    const desk = await deskOf('owner@sandbox.test');
    const { context, page } = desk;
    const deceiving = await startTestApp({ database: server.database });
    const there = deceiving.baseUrl.replace('127.0.0.1', 'localhost');
    let relayed: unknown = null;
    // It shows the victim the challenge of this server, and passes on what the authenticator signs.
    const headers = { origin, accept: 'application/json' };
    await page.route(`${there}/auth/passkeys/sign-in/options`, async (route) => {
      const response = await context.request.post(`${origin}/auth/passkeys/sign-in/options`, { headers, data: {} });
      await route.fulfill({ json: await response.json() });
    });
    const refused = new Promise<string>((resolve, reject) => {
      page
        .route(`${there}/auth/passkeys/sign-in`, async (route) => {
          relayed = route.request().postDataJSON();
          const response = await context.request.post(`${origin}/auth/passkeys/sign-in`, { headers, data: relayed });
          resolve((await response.json()).detail);
          await route.abort();
        })
        .catch(reject);
    });
    await page.goto(`${there}/auth/sign-in`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    expect(await refused).toMatch(/^No user of this server has this passkey/);
    expect(relayed).toMatchObject({ credential: { type: 'public-key' } });
    expect((await context.cookies()).filter(({ name }) => name === 'session')).toEqual([]);
    await context.close();
    await deceiving.close();
  });

  it('show the names of passkeys as text, and run nothing in them', { tags: ['sessions.passkeys'] }, async () => {
    const names = [
      '<img src=x onerror=alert(1)>',
      '"><script>alert(1)</script>',
      "'-alert(1)-'",
      '</b><svg onload=alert(1)>',
    ];
    for (const name of names) expect((await addPasskey(server, owner, { name })).status).toBe(201);
    const desk = await sitDown();
    await signInByAddress(desk, 'owner@sandbox.test');
    await desk.page.goto(`${origin}/auth/passkeys`);
    expect(await desk.page.locator('li b').allTextContents()).toEqual(names);
    expect(await desk.page.locator('li img, li script, li svg').count()).toBe(0);
    const first = desk.page.getByRole('button', { name: `Remove the passkey ${names[0]}`, exact: true });
    await first.click();
    await first.waitFor({ state: 'detached' });
    expect(await desk.page.locator('li b').allTextContents()).toEqual(names.slice(1));
    expect(desk.complaints).toEqual([]);
    await desk.context.close();
  });

  it('offer no eleventh passkey', { tags: ['sessions.passkeys'] }, async () => {
    for (let i = 0; i < 10; i++) await addPasskey(server, owner);
    const desk = await sitDown();
    await signInByAddress(desk, 'owner@sandbox.test');
    await desk.page.goto(`${origin}/auth/passkeys`);
    expect(await desk.page.locator('main').textContent()).toContain('You have 10, the most that is allowed.');
    expect(await desk.page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
    await desk.context.close();
  });

  it('say what is wrong if the user cancels, or has a passkey on this device already', {
    tags: ['sessions.passkeys'],
  }, async () => {
    const desk = await sitDown();
    const { page, cdp, authenticatorId } = desk;
    await signInByAddress(desk, 'owner@sandbox.test');
    await add(desk, 'Laptop');
    await page.getByLabel('A name for the new passkey').fill('Again');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    expect(await page.locator('#passkey-add [role=alert]:not([hidden])').textContent()).toBe(
      'This device or password manager already has a passkey for you here.',
    );
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await signOut(desk);
    expect(await refusalOf(desk)).toBe('No passkey was used. Try again, or use another way.');
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isEnabled()).toBe(true);
    await desk.context.close();
  });

  it.each(['without scripts', 'without passkeys in the browser', 'at another name of the server'])(
    'hide passkeys %s, and sign in by mail as before',
    { tags: ['sessions.passkey-sign-in'] },
    async (condition) => {
      const { context, page } = await sitDown({ javaScriptEnabled: condition !== 'without scripts' });
      if (condition === 'without passkeys in the browser') {
        await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'PublicKeyCredential'));
      }
      const here = condition.startsWith('at') ? server.baseUrl : origin;
      await page.goto(`${here}/auth/sign-in`);
      expect(await page.getByRole('button').allTextContents()).toEqual(['Email me a link']);
      expect(await page.getByText('Sign in with a passkey').isVisible()).toBe(false);
      await page.getByLabel('Your email address').fill('owner@sandbox.test');
      await page.getByRole('button', { name: 'Email me a link' }).click();
      expect(await headingOf(page)).toBe('Check your email');
      await server.app.services.auth.links.idle();
      const mail = (await readInstallationMail(server.database, { to: 'owner@sandbox.test' })).at(-1);
      const link = /http\S+/.exec(mail?.text ?? '')?.[0] ?? '';
      await page.goto(link.replace(server.baseUrl, here));
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(page.url()).toBe(`${here}/console`);
      await page.goto(`${here}/auth/passkeys`);
      expect(await page.locator('main').textContent()).toContain('Adding one needs JavaScript');
      expect(await page.locator('main button:visible').count()).toBe(0);
      await context.close();
    },
  );

  it('allow no script but that of this server', { tags: ['sessions.passkey-sign-in'] }, async () => {
    const pages = [
      await server.call('GET', '/auth/sign-in', { key: null }),
      await owner.call('GET', '/auth/passkeys', { headers: { accept: 'text/html' } }),
    ];
    for (const { headers, body } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; .*connect-src 'self'; .*frame-ancestors 'none'$/);
      expect(policy).not.toMatch(/unsafe|script-src[^;]*(\*|data:|https?:)/);
      const scripts = [...body.matchAll(/<script type="module" src="([^"]+)"><\/script>/g)].map(([, src]) => src);
      expect(scripts).toEqual([expect.stringMatching(/^\/assets\/[\w-]{16}\/passkey\.js$/)]);
      expect(body.match(/<script/g)).toHaveLength(1);
      const script = await server.call('GET', scripts[0], { key: null });
      expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    }
  });
});

/** By how many pixels the page is wider than the window. Runs in the page. */
function overflow(): number {
  return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
