import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../approvals/approving.ts';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { startBrowser } from '../harness/browser.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { browserOfUser, overflowOf } from './approving-people.ts';

const LONG = `<table width="600" style="width:600px">${'<tr><td>A line of a newsletter</td></tr>'.repeat(60)}</table>`;

describe('the page of a held message', { tags: ['console.approvals.layout'] }, () => {
  let server: TestApp;
  let browser: Browser;
  let owner: TestSession;
  let agent: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
    owner = await signInAs(server, 'owner@sandbox.test');
    agent = (await holdingKey(server)).key;
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const hold = async (subject: string, html: string): Promise<string> =>
    (await server.send({ to: 'delivered@sandbox.test', subject, html }, { key: agent })).body.approvalId;
  const frameOf = (page: Page) => page.locator('iframe.mail-frame');
  const heightOf = async (frame: Locator) => (await frame.boundingBox())?.height ?? 0;

  it.each([1_280, 360])(
    'has no other decision beside the form of a rejection, and no toast over it (%d pixels)',
    async (width) => {
      await hold('Next', '<p>Hi</p>');
      const id = await hold('First', '<p>Hi</p>');
      const { context, page } = await browserOfUser(browser, server, owner, { viewport: { width, height: 700 } });
      await page.goto(`/console/approvals/${id}`);
      await page.getByRole('button', { name: 'Approve and send' }).click();
      await page.getByRole('heading', { level: 1, name: 'Next' }).waitFor();
      await page.locator('.decision-bar summary').click();
      const form = page.locator('.decision-bar details form');
      await form.waitFor();
      expect(await page.getByRole('button', { name: 'Approve and send' }).isVisible()).toBe(false);
      expect(await page.getByRole('link', { name: 'Edit' }).isVisible()).toBe(false);
      const [toast, box] = [await page.locator('.toast').boundingBox(), await form.boundingBox()];
      expect((toast?.y ?? 0) + (toast?.height ?? 0)).toBeLessThan(box?.y ?? 0);
      await page.locator('.decision-bar summary', { hasText: 'Cancel' }).click();
      expect(await page.getByRole('button', { name: 'Approve and send' }).isVisible()).toBe(true);
      await context.close();
    },
  );

  it('shows a message of 600 pixels whole, in a frame that is as high as it', async () => {
    const [short, long] = [await hold('Short', '<p>We open at nine.</p>'), await hold('Long', LONG)];
    const { context, page } = await browserOfUser(browser, server, owner, { viewport: { width: 1_280, height: 800 } });
    await page.goto(`/console/approvals/${long}`);
    expect((await frameOf(page).boundingBox())?.width).toBeGreaterThan(600);
    await expect.poll(() => heightOf(frameOf(page))).toBeGreaterThan(1_000);
    await page.goto(`/console/approvals/${short}`);
    await expect.poll(() => heightOf(frameOf(page))).toBeLessThan(120);
    expect(await heightOf(frameOf(page))).toBeGreaterThan(30);
    expect(await frameOf(page).getAttribute('sandbox')).toBe('');
    expect(await page.locator('.ruler').count()).toBe(0);
    await page.goto(`/approvals/${await makeApprovalLink(server.database.sql, short)}`);
    await expect.poll(() => heightOf(frameOf(page))).toBeLessThan(120);
    await context.close();
  });

  it('measures a message in a frame in which nothing can run or load', async () => {
    const { headers } = await server.call('GET', '/assets/ruler/frame', { key: null });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox allow-same-origin; default-src 'none'; /);
    expect(policy).not.toMatch(/allow-scripts|script-src|connect-src|https?:|'self' (?!.*frame-ancestors)/);
  });

  it('says in sentences why a message was held', async () => {
    const id = await hold('In words', '<p>Hi</p>');
    const { emailId } = (await owner.call('GET', `/keys/approvals/${id}`)).body;
    const { body } = await owner.call('GET', `/console/messages/${emailId}`);
    expect(body).toContain('Every email from this key needs approval.');
    expect(body).not.toMatch(/>always</);
  });

  it('has a whole status on a phone of 320 pixels, in the list of messages', async () => {
    await hold('On a phone', '<p>Hi</p>');
    const { context, page } = await browserOfUser(browser, server, owner, { viewport: { width: 320, height: 700 } });
    await page.goto('/console/messages?status=pending_approval');
    const badge = page.locator('.table .badge').first();
    const [box, card] = [await badge.boundingBox(), await page.locator('.card').first().boundingBox()];
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan((card?.x ?? 0) + (card?.width ?? 0));
    // Not cut, in one line or two.
    expect(box?.height).toBeLessThan(60);
    expect(await overflowOf(page)).toBe(0);
    await context.close();
  });

  it('is one of pages with all numbers in one row and dates on one line, at 1280 pixels', async () => {
    const { context, page } = await browserOfUser(browser, server, owner, { viewport: { width: 1_280, height: 800 } });
    await page.goto('/console');
    const tops = await page
      .locator('.tile')
      .evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().top));
    expect([tops.length, new Set(tops).size]).toEqual([6, 1]);
    await page.goto('/console/audit');
    const heights = await page
      .locator('td time')
      .evaluateAll((times) => times.map((time) => time.getBoundingClientRect().height));
    expect(heights.length).toBeGreaterThan(0);
    expect(Math.max(...heights)).toBeLessThan(30);
    await context.close();
  });
});

describe('other pages of the console', { tags: ['console.approvals.layout'] }, () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  it('offer a first message on the empty log', async () => {
    const owner = await signInAs(server, 'newcomer@elsewhere.example');
    const { body } = await owner.call('GET', '/console/messages');
    expect(body).toContain('href="/console/messages/send"');
    expect(body).toContain('href="/console/keys/create"');
  });

  it('have an icon, which is not logged as a missing page', async () => {
    const owner = await signInAs(server, 'owner@sandbox.test');
    const { status, headers } = await owner.call('GET', '/favicon.ico');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/x-icon']);
    const page = String((await owner.call('GET', '/console')).body);
    const href = /<link rel="icon" type="image\/svg\+xml" href="([^"]+)"/.exec(page)?.[1] ?? '';
    expect((await server.call('GET', href, { key: null })).headers.get('content-type')).toBe('image/svg+xml');
    const { requests } = (await owner.call('GET', '/requests')).body;
    expect(requests.filter(({ path }: { path: string }) => path.includes('favicon'))).toEqual([]);
  });
});
