import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../harness/browser.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('the sign-in pages in a browser', () => {
  let server: TestApp;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  /** The link of the last sign-in mail. */
  async function mailedLink(): Promise<string> {
    await server.app.services.auth.links.idle();
    const mail = (await readInstallationMail(server.database, { to: 'owner@sandbox.test' })).at(-1);
    return /http\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  }

  it.each(['light', 'dark'] as const)(
    'sign a user in, confirm their device and sign them out, %s, on a phone, by keyboard and without scripts',
    { tags: ['sessions.magic-link', 'sessions.device', 'holes.device-consent'] },
    async (colorScheme) => {
      const viewport = { width: 320, height: 568 };
      const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled: false });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      const heading = () => page.getByRole('heading', { level: 1 }).textContent();
      const fits = async () => expect(await page.evaluate(overflow)).toBe(0);
      const press = (key: string) => Promise.all([page.waitForNavigation(), page.keyboard.press(key)]);

      const client = 'Postrider CLI 1.0 on ada-laptop';
      const device = (await server.call('POST', '/auth/device', { key: null, body: { client } })).body;
      await page.goto(device.verificationUrl);
      expect(await heading()).toBe('Sign in');
      await fits();
      await page.getByLabel('Your email address').focus();
      await page.keyboard.type('owner@sandbox.test');
      await press('Enter');
      expect(await heading()).toBe('Check your email');
      expect(await page.getByRole('link', { name: 'captured mail' }).getAttribute('href')).toBe('/console/mailbox');

      await page.goto(await mailedLink());
      await page.getByRole('button', { name: 'Sign in' }).focus();
      await press('Enter');
      // The page that was wanted, at once.
      expect(await heading()).toBe('Sign in a device');
      expect(await page.locator('header').textContent()).toContain('owner@sandbox.test');
      await fits();
      expect((await context.cookies()).find(({ name }) => name === 'session')).toMatchObject({
        ...{ httpOnly: true, sameSite: 'Lax', path: '/' },
      });

      await page.getByLabel('Type the code that your device shows').focus();
      await page.keyboard.type(device.userCode.toLowerCase());
      await press('Enter');
      expect(await heading()).toBe('Allow this sign-in?');
      await fits();
      expect(await page.locator('.facts').textContent()).toContain(client);
      const box = page.getByLabel('Approve and reject held sends');
      expect(await box.isChecked()).toBe(false);
      // Enter in the box must not press a button: nothing is allowed by accident.
      await box.focus();
      await press('Enter');
      expect(await heading()).toBe('Allow this sign-in?');
      await box.focus();
      if (colorScheme === 'dark') await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Allow' }).focus();
      await press('Enter');
      expect(await heading()).toBe('The device is signed in');
      const body = { deviceCode: device.deviceCode };
      const { token } = (await server.call('POST', '/auth/device/token', { key: null, body })).body;
      const { device: seen } = (await server.call('GET', '/auth/session', { key: token })).body;
      expect(seen).toEqual({ client, approvals: colorScheme === 'dark' });

      await page.getByRole('button', { name: 'Sign out' }).focus();
      await press('Enter');
      expect(await heading()).toBe('Sign in');
      expect(await page.getByRole('status').first().textContent()).toBe('You are signed out.');
      await fits();
      await page.goto(`${server.baseUrl}/auth/sign-in`);
      expect(await heading()).toBe('Sign in');
      expect(await page.getByText('You are signed out.').count()).toBe(0);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});

/** By how many pixels the page is wider than the window. Runs in the page. */
function overflow(): number {
  return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
