import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../approvals/approving.ts';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { startBrowser } from '../harness/browser.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { browserOfUser, passUndo } from './approving-people.ts';

describe('a decision in the console', () => {
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

  it('can be taken back for five seconds, and then is final', { tags: ['console.approvals.undo'] }, async () => {
    const id = await hold('Taken back');
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto(`/console/approvals/${id}`);
    await approve(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { level: 1, name: 'Taken back' }).waitFor();
    await passUndo(page);
    expect(await statusOf(id)).toBe('pending');
    await approve(page);
    await page.keyboard.press('z');
    await page.getByRole('heading', { level: 1, name: 'Taken back' }).waitFor();
    await passUndo(page);
    expect(await statusOf(id)).toBe('pending');
    await approve(page);
    await passUndo(page);
    await expect.poll(() => statusOf(id)).toBe('approved');
    await context.close();
  });

  it('of several messages is shown for each, and each can be taken back', {
    tags: ['console.approvals.undo'],
  }, async () => {
    const [first, second] = [await hold('Pending one'), await hold('Pending two')];
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto(`/console/approvals/${second}`);
    await approve(page);
    await page.getByRole('heading', { level: 1, name: 'Pending one' }).waitFor();
    await approve(page);
    expect(await page.locator('.toast', { hasText: 'Approving' }).count()).toBe(2);
    await page.locator('.toast', { hasText: 'Pending two' }).getByRole('button', { name: 'Undo' }).click();
    await passUndo(page);
    await expect.poll(() => statusOf(first)).toBe('approved');
    expect(await statusOf(second)).toBe('pending');
    await context.close();
  });

  it('is sent when the page is left before', { tags: ['console.approvals.undo'] }, async () => {
    const id = await hold('Left early');
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto(`/console/approvals/${id}`);
    await approve(page);
    await page.locator('.toast', { hasText: 'Approving' }).waitFor();
    await page.goto('/console/suppressions');
    await expect.poll(() => statusOf(id)).toBe('approved');
    await context.close();
  });

  it('is sent once when the page is left while it is being sent', {
    tags: ['console.approvals.undo', 'console.approvals.once'],
  }, async () => {
    const id = await hold('Left while sending');
    const { context, page } = await browserOfUser(browser, server, owner);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await page.goto(`/console/approvals/${id}`);
    await approve(page);
    await page.locator('.toast', { hasText: 'Approving' }).waitFor();
    // The response does not come before the page is left.
    await page.evaluate(() => {
      const { fetch } = window;
      window.fetch = async (...given) => {
        const response = await fetch(...given);
        return given[1]?.method === 'POST' ? await new Promise<Response>(() => {}) : response;
      };
    });
    await passUndo(page);
    await expect.poll(() => sent.length).toBe(1);
    await page.goto('/console/suppressions');
    await expect.poll(() => statusOf(id)).toBe('approved');
    expect(sent).toHaveLength(1);
    await context.close();
  });

  it('is made once by a double click', { tags: ['console.approvals.once'] }, async () => {
    const id = await hold('Double click');
    const { context, page } = await browserOfUser(browser, server, owner);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await page.goto(`/console/approvals/${id}`);
    await page.getByRole('button', { name: 'Approve and send' }).dblclick();
    await passUndo(page);
    await expect.poll(() => statusOf(id)).toBe('approved');
    expect(sent).toEqual([`${server.baseUrl}/console/approvals/${id}`]);
    await context.close();
  });

  it('is not made by a second tap on a message that no one has seen', {
    tags: ['console.approvals.once'],
  }, async () => {
    const [unseen, first] = [await hold('Not seen yet'), await hold('Tapped twice')];
    const { context, page } = await browserOfUser(browser, server, owner, {
      ...{ viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true },
    });
    await page.goto(`/console/approvals/${first}`);
    const button = page.getByRole('button', { name: 'Approve and send' });
    const box = await button.boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    await page.touchscreen.tap(x, y);
    await page.waitForTimeout(350);
    await page.touchscreen.tap(x, y);
    await page.getByRole('heading', { level: 1, name: 'Not seen yet' }).waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await page.touchscreen.tap(x, y);
    await page.keyboard.press('a');
    expect(await page.locator('.toast', { hasText: 'Approving' }).count()).toBe(1);
    await passUndo(page);
    await expect.poll(() => statusOf(first)).toBe('approved');
    expect(await statusOf(unseen)).toBe('pending');
    // The message that is shown now can be decided after a moment.
    await approve(page);
    await page.locator('.toast', { hasText: 'Not seen yet' }).waitFor();
    await context.close();
  });

  it('is not made if the connection is lost: the message is shown again', {
    tags: ['console.approvals.lost'],
  }, async () => {
    const id = await hold('Offline');
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto(`/console/approvals/${id}`);
    await approve(page);
    await page.locator('.toast', { hasText: 'Approving' }).waitFor();
    await page.route('**/console/approvals/*', (route) =>
      route.request().method() === 'POST' ? route.abort('connectionfailed') : route.continue(),
    );
    await passUndo(page);
    await page.getByText('The connection was lost. Nothing was decided about “Offline”').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Offline' }).waitFor();
    expect(await statusOf(id)).toBe('pending');
    await context.close();
  });

  it('of another person is shown to the one who was later, with who it was', {
    tags: ['console.approvals.two-deciders'],
  }, async () => {
    const id = await hold('Two people');
    const approver = await joinAs(server, owner, 'approver');
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto(`/console/approvals/${id}`);
    await approve(page);
    await page.locator('.toast', { hasText: 'Approving' }).waitFor();
    const rejected = await approver.call('POST', `/keys/approvals/${id}`, { body: { decision: 'reject' } });
    expect(rejected.status).toBe(200);
    await passUndo(page);
    await page.getByText('approver@sandbox.test rejected it already.').waitFor();
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('approver@sandbox.test rejected it').first().waitFor();
    expect(await statusOf(id)).toBe('rejected');
    await context.close();
  });

  it('of two people at once, in two browsers, counts once, and the other sees who decided what and when', {
    tags: ['console.approvals.two-deciders', 'console.approvals.once'],
    timeout: 60_000,
  }, async () => {
    const second = await joinAs(server, owner, 'approver', 'second@sandbox.test');
    for (const decisions of [
      ['approve', 'approve'],
      ['approve', 'reject'],
    ] as const) {
      const sent = await server.send(
        { to: 'delivered@sandbox.test', subject: `At once ${decisions[1]}` },
        { key: agent },
      );
      const { approvalId: id, id: emailId } = sent.body;
      const browsers = [await browserOfUser(browser, server, owner), await browserOfUser(browser, server, second)];
      for (const [index, { page }] of browsers.entries()) {
        await page.goto(`/console/approvals/${id}`);
        if (decisions[index] === 'approve') await approve(page);
        else {
          await page.locator('summary', { hasText: 'Reject' }).click();
          await page.getByLabel('Why').selectOption('wrong_content');
          await page.getByRole('button', { name: 'Reject: do not send it' }).click();
        }
        await page.locator('.toast', { hasText: /Approving|Rejecting/ }).waitFor();
      }
      await Promise.all(browsers.map(({ page }) => passUndo(page)));
      await expect.poll(() => statusOf(id), { timeout: 20_000 }).not.toBe('pending');
      const record = (await owner.call('GET', `/keys/approvals/${id}`)).body;
      // The one who was later; the other one was not told anything like it.
      const late = await Promise.any(
        browsers.map(async (one) => {
          await one.page.getByText('it already.').waitFor();
          return one;
        }),
      );
      const winner = late === browsers[0] ? 'second@sandbox.test' : 'owner@sandbox.test';
      const verb = record.status === 'approved' ? 'approved' : 'rejected';
      await late.page.getByText(`${winner} ${verb} it already.`).waitFor();
      await late.page.getByRole('button', { name: 'Show' }).click();
      const said = late.page.locator('.notice', { hasText: `${winner} ${verb} it` });
      await said.first().waitFor();
      expect(await said.locator('time').first().getAttribute('datetime')).toBe(record.decidedAt);
      // Sent once, or not at all.
      const { events } = (await owner.call('GET', `/emails/${emailId}?wait=10`)).body;
      const deliveries = events.filter(({ type }: { type: string }) => type === 'delivered');
      expect(deliveries).toHaveLength(verb === 'approved' ? 1 : 0);
      for (const { context } of browsers) await context.close();
    }
  });

  it('about ticked messages can be taken back together, and says for each what became of it', {
    tags: ['console.approvals.many'],
  }, async () => {
    const [one, two] = [await hold('Ticked one'), await hold('Ticked two')];
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto('/console/approvals');
    const tick = async () => {
      await page.getByLabel('Choose “Ticked one”').check();
      await page.getByLabel('Choose “Ticked two”').check();
    };
    expect(await page.locator('.bulk').isVisible()).toBe(false);
    await tick();
    await page.getByText('2 messages are ticked').waitFor();
    await approve(page);
    await page.getByText('Approving 2 messages').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await passUndo(page);
    expect([await statusOf(one), await statusOf(two)]).toEqual(['pending', 'pending']);
    await tick();
    await approve(page);
    await page.getByText('Approving 2 messages').waitFor();
    await owner.call('POST', `/keys/approvals/${two}`, { body: { decision: 'reject' } });
    await passUndo(page);
    await page.getByRole('heading', { level: 1, name: 'What was decided' }).waitFor();
    expect(await page.locator('.results li').allTextContents()).toEqual([
      expect.stringMatching(/Done .*“Ticked one” was approved|Not done .*already decided/),
      expect.stringMatching(/Done .*“Ticked one” was approved|Not done .*already decided/),
    ]);
    expect([await statusOf(one), await statusOf(two)]).toEqual(['approved', 'rejected']);
    // A tab that is shown again updates its page, but this page has no address from which it could be loaded.
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.clock.runFor(1_000);
    await page.waitForTimeout(500);
    expect(loaded.filter((url) => !url.includes('/live'))).toEqual([]);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('What was decided');
    await context.close();
  });

  it('after the end of the session keeps what was typed', { tags: ['console.approvals.session-ends'] }, async () => {
    const id = await hold('Session ends');
    const session = await joinAs(server, owner, 'admin');
    const { context, page } = await browserOfUser(browser, server, session);
    await page.goto(`/console/approvals/${id}/edit`);
    await page.getByLabel('Subject').fill('Typed for an hour');
    await session.call('POST', '/auth/sign-out', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      rawBody: '',
    });
    await page.getByRole('button', { name: 'Compare with the original' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    const again = await signInAs(server, 'admin@sandbox.test');
    const [name = '', value = ''] = again.cookie.split('=');
    await context.addCookies([{ name, value, url: server.baseUrl }]);
    await page.getByRole('button', { name: 'Send the form again' }).click();
    await page.getByRole('heading', { name: 'Send it with these changes?' }).waitFor();
    expect(await page.locator('.diff ins').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('Typed')]),
    );
    await context.close();
  });

  it('by the link in a mail can be taken back too, without signing in', {
    tags: ['console.approvals.link'],
  }, async () => {
    const id = await hold('By link');
    const link = `/approvals/${await makeApprovalLink(server.database.sql, id)}`;
    const page = await browser.newPage({ baseURL: server.baseUrl, viewport: { width: 360, height: 780 } });
    await page.clock.install();
    await page.goto(link);
    await approve(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await passUndo(page);
    expect(await statusOf(id)).toBe('pending');
    await approve(page);
    await passUndo(page);
    await page.getByRole('heading', { level: 1, name: 'Approved' }).waitFor();
    expect(await statusOf(id)).toBe('approved');
    await page.goto(link);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Already decided');
    expect(await page.locator('main').textContent()).toMatch(/owner@sandbox\.test approved it/);
    await page.close();
  });
});
