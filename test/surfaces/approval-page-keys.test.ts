import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../approvals/approving.ts';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { startBrowser } from '../harness/browser.ts';
import { signInAs } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('the page of a held send in a browser', () => {
  let server: TestApp;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it('approves nothing when Enter is pressed in the note, and approves by its button', async () => {
    const owner = await signInAs(server, 'owner@sandbox.test');
    const { key } = await holdingKey(server);
    const mail = { from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hold me', text: 'x' };
    const { approvalId } = (await server.call('POST', '/emails', { key, body: mail })).body;
    const status = async () => (await owner.call('GET', `/keys/approvals/${approvalId}`)).body.status;
    const context = await browser.newContext({ javaScriptEnabled: false });
    const [name = '', value = ''] = owner.cookie.split('=');
    await context.addCookies([{ name, value, url: server.baseUrl }]);
    const page = await context.newPage();
    await page.goto(`${server.baseUrl}/approvals/${await makeApprovalLink(server.database.sql, approvalId)}`);
    await page.locator('#note').fill('Fine.');
    await page.keyboard.press('Enter');
    // A second look at the page would come after a form that was sent.
    await page.reload();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Send this email?');
    expect(await status()).toBe('pending');
    await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Approve' }).click()]);
    expect([await page.getByRole('heading', { level: 1 }).textContent(), await status()]).toEqual([
      'Approved',
      'approved',
    ]);
    await context.close();
  });
});
