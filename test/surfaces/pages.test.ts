import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OPERATIONS } from '@postrider/core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../harness/browser.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('the pages in a browser', () => {
  let server: TestApp;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  /** A page that remembers where it went and what its console complained about. */
  async function openPage(): Promise<{ page: Page; hosts: Set<string>; complaints: string[] }> {
    const page = await browser.newPage();
    const hosts = new Set<string>();
    const complaints: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host);
    });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    return { page, hosts, complaints };
  }

  it('show every operation on the reference page, without a request to another host', async () => {
    const { page, hosts, complaints } = await openPage();
    await page.goto(`${server.baseUrl}/reference`);
    await page.locator('.opblock', { hasText: 'emails.send' }).first().waitFor();
    const { webhooks } = (await server.call('GET', '/openapi.json', { key: null })).body;
    const described = OPERATIONS.length + Object.keys(webhooks).length;
    expect(described).toBeGreaterThanOrEqual(127);
    await expect.poll(() => page.locator('.opblock').count()).toBe(described);
    expect([...hosts]).toEqual([new URL(server.baseUrl).host]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('send from the reference page with a key entered there', async () => {
    const { page } = await openPage();
    await page.goto(`${server.baseUrl}/reference`);
    await page.click('button.authorize');
    await page.fill('.auth-container input', server.key);
    await page.click('.auth-btn-wrapper button[type=submit]');
    await page.click('.btn-done');
    const operation = page.locator('.opblock', { hasText: 'keys.self' });
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.execute').click();
    expect(await operation.locator('.live-responses-table .response-col_status').last().textContent()).toContain('200');
    await page.close();
  });

  it('show what every error means at the `type` of a problem', async () => {
    const { page } = await openPage();
    const refused = await server.send({ from: 'a@unknown.example' });
    await page.goto(refused.body.type);
    expect(await page.textContent(`[id="${new URL(refused.body.type).hash.slice(1)}"]`)).toContain(
      'domain_not_verified',
    );
    await page.close();
  });

  it('show captured mail in the console, with bcc recipients, and run nothing in it', async () => {
    let hits = 0;
    const canary = createServer((_request, response) => {
      hits += 1;
      response.end();
    });
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    const { port } = canary.address() as AddressInfo; // It listens on TCP.
    const sent = await server.send({
      to: 'someone@example.org',
      bcc: 'hidden@example.org',
      subject: 'A <b>bold</b> subject',
      html: `<p id="greeting">Good day</p><script>document.title = "taken over"</script><img src="http://127.0.0.1:${port}/pixel.gif">`,
    });
    await server.settled(sent.body.id);
    const { page } = await openPage();
    await page.goto(`${server.baseUrl}/console/mailbox`);
    await page.click('text=A <b>bold</b> subject');
    expect(await page.textContent('.envelope')).toContain('hidden@example.org');
    const body = page.frameLocator('iframe');
    expect(await body.locator('#greeting').textContent()).toBe('Good day');
    expect(await page.title()).toBe('A <b>bold</b> subject – Postrider');
    await page.waitForLoadState('networkidle');
    expect(hits).toBe(0);
    canary.close();
    await page.close();
  });
});
