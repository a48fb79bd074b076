import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../harness/browser.ts';
import { createProgram, type OAuthProgram } from '../harness/oauth-program.ts';
import { openCheckedPage } from '../harness/page-faults.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('the page on which a user allows a program', () => {
  let server: TestApp;
  let browser: Browser;
  let owner: TestSession;
  let program: OAuthProgram;
  let callback: Server;
  let redirectUri: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
    owner = await signInAs(server, 'owner@sandbox.test');
    await server.addDomain('acme.example');
    callback = createServer((_request, response) => response.end('<p>The program is connected.</p>'));
    await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve));
    redirectUri = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
    program = await createProgram(server, { redirectUri });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    callback.close();
  });

  const addressOf = ({ clientId, redirectUri: uri }: OAuthProgram, scope?: string) =>
    `/oauth/authorize?${new URLSearchParams({
      ...{ response_type: 'code', client_id: clientId, redirect_uri: uri, state: 'x', code_challenge_method: 'S256' },
      ...{
        code_challenge: 'a'.repeat(43),
        resource: `${server.baseUrl}/mcp`,
        ...(scope === undefined ? {} : { scope }),
      },
    })}`;

  async function open(address: string, { hasScript = true, isSignedIn = true } = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 360, height: 780 }, javaScriptEnabled: hasScript });
    const [name = '', value = ''] = owner.cookie.split('=');
    if (isSignedIn) await context.addCookies([{ name, value, url: server.baseUrl }]);
    const page = await context.newPage();
    await page.goto(`${server.baseUrl}${address}`);
    return page;
  }

  const newestKey = async () => (await owner.call('GET', '/keys')).body.keys[0];

  it.each([true, false])(
    'returns to the program with one tap, and holds every message (scripts: %s)',
    { tags: ['agent-sign-in.held'] },
    async (hasScript) => {
      const page = await open(addressOf(program), { hasScript });
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Allow this program?');
      await page
        .getByRole('button', { name: 'Allow' })
        .tap()
        .catch(() => page.getByRole('button', { name: 'Allow' }).click());
      await page.waitForURL(`${redirectUri}?*`);
      expect(await page.textContent('body')).toBe('The program is connected.');
      expect(await newestKey()).toMatchObject({ approvalMode: 'always', recipientAllowlist: null });
      await page.context().close();
    },
  );

  it('sets the limits that the user chooses', { tags: ['agent-sign-in.choices'] }, async () => {
    const page = await open(addressOf(program, 'emails:send emails:read emails:content-all templates:write'));
    await page.getByLabel('Only these addresses and domains').check();
    await page.getByLabel('Addresses and domains', { exact: true }).fill('@acme.example\nada@other.example');
    await page.getByLabel('Only some messages').check();
    await page.getByLabel('Messages with links to other domains than yours').check();
    await page.getByLabel('The first message to someone').check();
    await page.getByLabel('Messages a day, at most').fill('7');
    await page.getByLabel('The access ends after').selectOption('7');
    await page.getByLabel('Messages that others in this account sent').check();
    await page.getByLabel('Create and change templates, as drafts that a user publishes.').check();
    await page.getByText('What this allows, in words').click();
    await page.getByRole('button', { name: 'Update after a change' }).click();
    expect(await page.textContent('#policy')).toContain('anyone at acme.example');
    expect(await page.textContent('#policy')).toContain('at most 7 a day');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${redirectUri}?*`);
    const key = await newestKey();
    expect(key).toMatchObject({
      approvalMode: 'policy',
      holdWhen: {
        firstContact: true,
        linkDomainNotIn: ['acme.example'],
        recipientDomainNotIn: null,
        hasAttachments: false,
      },
      recipientAllowlist: ['@acme.example', 'ada@other.example'],
      sendLimit: { day: 7 },
      scopes: ['emails:send', 'emails:read', 'emails:content-all', 'templates:write'],
    });
    const days = (Date.parse(key.expiresAt) - server.clock.now().getTime()) / 86_400_000;
    expect(days).toBeCloseTo(7, 2);
    await page.context().close();
  });

  it('keeps the choices and says what is missing', async () => {
    const page = await open(addressOf(program));
    await page.getByLabel('Only some messages').check();
    await page.getByLabel('Only these addresses and domains').check();
    await page.getByLabel('Messages a day, at most').fill('9');
    await page.getByRole('button', { name: 'Allow' }).click();
    expect(await page.textContent('main')).toContain('Tick at least one rule, or let every message wait.');
    expect(await page.textContent('main')).toContain('Name at least one address or domain.');
    expect(await page.getByLabel('Messages a day, at most').inputValue()).toBe('9');
    await page.getByLabel('Messages a day, at most').press('Enter');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Allow this program?');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${redirectUri}?*`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.context().close();
  });

  it('asks users to sign in first, and then shows the request', async () => {
    const page = await open(addressOf(program), { isSignedIn: false });
    expect(new URL(page.url()).pathname).toBe('/auth/sign-in');
    expect(new URL(page.url()).searchParams.get('next')).toMatch(/^\/oauth\/consent\/[\w-]+$/);
    await page.context().close();
  });

  it('warns of hosts and names that imitate others', { tags: ['agent-sign-in.identity'] }, async () => {
    const hostile = await createProgram(server, {
      name: 'P\u043estrider',
      redirectUri: 'https://app.paypa1.com/callback',
    });
    const page = await open(addressOf(hostile));
    const text = await page.textContent('main');
    expect(text).toContain('app.paypa1.com looks like paypal.com, but is another host.');
    expect(text).toContain('The name of the program mixes alphabets');
    expect(text).toContain('Access is given to app.paypa1.com');
    expect(text).toContain('Not verified');
    await page.context().close();
  });

  it('fits every screen and has no fault, whatever the program calls itself', async () => {
    const name = `<script>alert(1)</script>${'W'.repeat(60)}`;
    const hostile = await createProgram(server, {
      name,
      redirectUri: `https://${'long-label.'.repeat(18)}example/callback`,
    });
    const context = await browser.newContext();
    const [cookie = '', value = ''] = owner.cookie.split('=');
    await context.addCookies([{ name: cookie, value, url: server.baseUrl }]);
    const checked = await openCheckedPage(context, server.baseUrl);
    const all =
      'emails:send emails:read emails:content-all templates:write domains:write webhooks:write suppressions:delete';
    expect(await checked.check(addressOf(hostile, all))).toEqual([]);
    expect(await checked.check('/console/keys')).toEqual([]);
    expect(await checked.check(`/console/keys/${(await newestKey()).id}`)).toEqual([]);
    await context.close();
  });
});
