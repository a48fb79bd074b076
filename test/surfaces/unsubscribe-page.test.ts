import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../harness/browser.ts';
import { readCaptured } from '../harness/captured-mail.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('the unsubscribe page in a browser', () => {
  let server: TestApp;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  async function linkFor(to: string): Promise<string> {
    const { body } = await server.send({ to, subject: to, text: '{{unsubscribe_url}}' });
    await server.settled(body.id);
    const [mail] = await readCaptured(server, to);
    return mail?.parsed.text?.trim() ?? '';
  }

  const isListed = async (email: string) => (await server.call('GET', `/suppressions/${email}`)).status === 200;

  it.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(22, 24, 29)'],
  ] as const)(
    'fits a phone, %s, asks, and unsubscribes by keyboard and without scripts',
    async (colorScheme, sheet) => {
      const email = `${colorScheme}-${'long'.repeat(12)}@example.com`;
      const link = await linkFor(email);
      const viewport = { width: 320, height: 568 };
      const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled: false });
      const page = await context.newPage();
      const requests: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(link);
      expect(await page.title()).toBe('Unsubscribe');
      expect(await page.locator('main').textContent()).toContain(email);
      const main = page.locator('main');
      expect(await main.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(sheet);
      const box = await page.getByRole('button', { name: 'Unsubscribe' }).boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
      expect(box?.width).toBeGreaterThan(200);
      expect(await page.locator('a, nav, header').count()).toBe(0);
      expect(await page.evaluate(overflow)).toBe(0);
      expect(await isListed(email)).toBe(false);
      await page.keyboard.press('Tab');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      expect(await page.getByRole('heading').textContent()).toBe('You are unsubscribed');
      expect(await page.getByRole('status').textContent()).toContain(email);
      expect(await isListed(email)).toBe(true);
      const loaded = requests.filter((url) => !url.startsWith('data:') && url !== link);
      expect(loaded.filter((url) => !url.startsWith(`${server.baseUrl}/assets/`))).toEqual([]);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});

/** By how many pixels the page is wider than the window. Runs in the page. */
function overflow(): number {
  return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
