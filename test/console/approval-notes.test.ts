import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../approvals/approving.ts';
import { startBrowser } from '../harness/browser.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { browserOfUser, passUndo } from './approving-people.ts';

describe('a decision in the console, with a note,', () => {
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

  const hold = async (subject: string, html = '<p>Hi</p>'): Promise<string> =>
    (await server.send({ to: 'delivered@sandbox.test', subject, html }, { key: agent })).body.approvalId;
  const statusOf = async (id: string) => (await owner.call('GET', `/keys/approvals/${id}`)).body.status;
  const approve = (page: Page) => page.getByRole('button', { name: 'Approve and send' }).click();

  it('has its own note: the reason of a rejection is not sent with an approval, and Escape closes its form', {
    tags: ['console.approvals.keys', 'console.approvals.notes'],
  }, async () => {
    const id = await hold('With a note');
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto(`/console/approvals/${id}`);
    await page.locator('#note').fill('As agreed');
    await page.locator('summary', { hasText: 'Reject' }).click();
    expect(await page.locator('#rejectNote').inputValue()).toBe('');
    await page.locator('#rejectNote').fill('Wrong customer');
    await page.keyboard.press('Escape');
    expect(await page.locator('#rejectNote').isVisible()).toBe(false);
    // The focus is back on the button that opened the form.
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Reject');
    expect(await page.locator('#note').inputValue()).toBe('As agreed');
    await approve(page);
    await passUndo(page);
    await expect.poll(() => statusOf(id)).toBe('approved');
    expect((await owner.call('GET', `/keys/approvals/${id}`)).body.note).toBe('As agreed');
    await context.close();
  });

  it('of ticked messages sends the reason of a rejection only with a rejection', {
    tags: ['console.approvals.many', 'console.approvals.notes'],
  }, async () => {
    const id = await hold('Ticked with a reason');
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto('/console/approvals');
    await page.getByLabel('Choose “Ticked with a reason”').check();
    await page.locator('summary', { hasText: 'Reject' }).click();
    await page.getByLabel('Rejection note').fill('Wrong customer');
    await page.keyboard.press('Escape');
    await approve(page);
    await passUndo(page);
    await expect.poll(() => statusOf(id)).toBe('approved');
    expect((await owner.call('GET', `/keys/approvals/${id}`)).body.note).toBeNull();
    await context.close();
  });

  it('that is taken back leaves what was typed in its form', { tags: ['console.approvals.notes'] }, async () => {
    const id = await hold('Typed twice');
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto(`/console/approvals/${id}`);
    await page.locator('summary', { hasText: 'Reject' }).click();
    await page.getByLabel('Why').selectOption('wrong_content');
    await page.locator('#rejectNote').fill('Ask Ada first');
    await page.getByRole('button', { name: 'Reject: do not send it' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { level: 1, name: 'Typed twice' }).waitFor();
    await expect.poll(() => page.locator('#rejectNote').inputValue()).toBe('Ask Ada first');
    expect(await page.locator('#rejectCode').inputValue()).toBe('wrong_content');
    expect(await page.locator('#note').inputValue()).toBe('');
    await page.goto(`/console/approvals/${id}/edit`);
    await page.getByLabel('Subject').fill('Typed once');
    await page.getByRole('button', { name: 'Compare with the original' }).click();
    await page.getByRole('heading', { name: 'Send it with these changes?' }).waitFor();
    await approve(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { level: 1, name: 'Edit before it is sent' }).waitFor();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Typed once');
    expect(await statusOf(id)).toBe('pending');
    await context.close();
  });
});
