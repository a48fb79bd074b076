import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../approvals/approving.ts';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { startBrowser } from '../harness/browser.ts';
import { openCheckedPage } from '../harness/page-faults.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('two people approve in the console', { tags: ['several.surfaces'] }, () => {
  let server: TestApp;
  let browser: Browser;
  let owner: TestSession;
  let admin: TestSession;
  let agent: { readonly id: string; readonly key: string };
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
    owner = await signInAs(server, 'owner@sandbox.test');
    admin = await joinAs(server, owner, 'admin', 'grace@sandbox.test');
    agent = await holdingKey(server, {
      ...{ name: 'Invoice agent', approvers: { count: 2, memberIds: [owner.user.memberId, admin.user.memberId] } },
    });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const hold = async (subject: string) =>
    (await server.send({ subject }, { key: agent.key })).body.approvalId as string;
  const statusOf = async (id: string) => (await owner.call('GET', `/keys/approvals/${id}`)).body.status;
  async function sitDown(email: string, options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext(options);
    await context.request.post(`${server.baseUrl}/dev/session`, { data: { email } });
    return { context, page: await context.newPage() };
  }

  it('one at a desk and one on a phone, who edits; the first sees it without reloading', async () => {
    const id = await hold('Invoice 1024');
    const address = `${server.baseUrl}/console/approvals/${id}`;
    const desk = await sitDown('owner@sandbox.test');
    await desk.page.goto(address);
    await desk.page.getByRole('button', { name: 'Approve (1 of 2)' }).click();
    await desk.page.getByText('is recorded. 1 of 2 people have approved it; 1 more must.').waitFor({ timeout: 15_000 });
    expect(await statusOf(id)).toBe('pending');
    await desk.page.goto(address);
    await desk.page.getByText('You approved it').waitFor();
    const phone = await sitDown('grace@sandbox.test', { viewport: { width: 360, height: 780 } });
    await phone.page.goto(address);
    await phone.page.getByText('Approved by owner@sandbox.test.').waitFor();
    await phone.page.getByRole('link', { name: 'Edit' }).click();
    await phone.page.getByLabel('Subject').fill('Invoice 1024, corrected');
    await phone.page.getByRole('button', { name: 'Compare' }).click();
    await phone.page.getByText('Others must approve your changes').waitFor();
    await shoot(phone.page, 'compare-360');
    await phone.page.getByRole('button', { name: 'Approve with these changes' }).click();
    await desk.page.getByText('Approved by grace@sandbox.test.').waitFor({ timeout: 20_000 });
    await desk.page.getByRole('button', { name: 'Approve and send' }).click();
    await expect.poll(async () => await statusOf(id), { timeout: 15_000 }).toBe('approved');
    const { subject } = (await owner.call('GET', `/keys/approvals/${id}`)).body;
    expect(subject).toBe('Invoice 1024, corrected');
    await phone.context.close();
    await desk.context.close();
  });

  it('without scripts', async () => {
    const id = await hold('No scripts');
    const address = `${server.baseUrl}/console/approvals/${id}`;
    for (const email of ['owner@sandbox.test', 'grace@sandbox.test']) {
      const { context, page } = await sitDown(email, { javaScriptEnabled: false });
      await page.goto(address);
      await page.getByRole('button', { name: /^Approve/ }).click();
      await page.waitForURL(`${server.baseUrl}/console/approvals`);
      await context.close();
    }
    expect(await statusOf(id)).toBe('approved');
  });

  it('on pages without faults, light and dark, wide and narrow', async () => {
    const [fresh, voted] = [await hold('No one has approved'), await hold('One has approved')];
    await owner.call('POST', `/keys/approvals/${voted}`, { body: { decision: 'approve' } });
    await joinAs(server, owner, 'approver', 'looks-on@sandbox.test');
    const token = await makeApprovalLink(server.database.sql, fresh);
    const draft = { slug: 'reminder', name: 'Reminder', subject: 'Your invoice', text: 'Please pay.' };
    expect((await server.call('POST', '/templates', { key: agent.key, body: draft })).status).toBe(201);
    const pages: readonly (readonly [string, string, string])[] = [
      ['owner@sandbox.test', 'voted', `/console/approvals/${voted}`],
      ['grace@sandbox.test', 'to-vote', `/console/approvals/${voted}`],
      ['looks-on@sandbox.test', 'not-named', `/console/approvals/${fresh}`],
      ['grace@sandbox.test', 'inbox', '/console/approvals'],
      ['grace@sandbox.test', 'draft', '/console/approvals/drafts/reminder/1'],
      ['owner@sandbox.test', 'settings', '/console/settings'],
      ['owner@sandbox.test', 'key-form', `/console/keys/${agent.id}/edit`],
      ['owner@sandbox.test', 'key', `/console/keys/${agent.id}`],
    ];
    const { context: phone, page } = await sitDown('owner@sandbox.test', { viewport: { width: 360, height: 780 } });
    await page.goto(`${server.baseUrl}/approvals/${token}`);
    const tooWide = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
    expect(await page.evaluate(tooWide)).toBeLessThanOrEqual(0);
    await shoot(page, 'link-360');
    await phone.close();
    for (const [email, name, path] of pages) {
      const { context, page } = await sitDown(email);
      await page.close();
      const checked = await openCheckedPage(context, server.baseUrl);
      expect(await checked.check(path), name).toEqual([]);
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1_280, 360]) {
          await checked.page.emulateMedia({ colorScheme });
          await checked.page.setViewportSize({ width, height: 800 });
          await shoot(checked.page, `${name}-${colorScheme}-${width}`);
        }
      }
      await context.close();
    }
  });
});

/** For a look at the pages: set `SHOTS` to a folder. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
