import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../approvals/approving.ts';
import { startBrowser } from '../harness/browser.ts';
import { openEvents } from '../harness/event-stream.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { browserOfUser, overflowOf, PHONE, passUndo, pdfOf } from './approving-people.ts';

const AGENT = { 'x-service-agent': 'Support bot' };

describe('a user who approves what an agent sends', () => {
  let server: TestApp;
  let browser: Browser;
  let owner: TestSession;
  let agent: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
    owner = await signInAs(server, 'owner@sandbox.test');
    agent = (await holdingKey(server, { name: 'Invoices' })).key;
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  async function hold(body: Readonly<Record<string, unknown>> = {}): Promise<{ id: string; emailId: string }> {
    const sent = await server.send({ to: 'delivered@sandbox.test', ...body }, { key: agent, headers: AGENT });
    expect(sent.body.status).toBe('pending_approval');
    return { id: sent.body.approvalId, emailId: sent.body.id };
  }
  const statusOf = async (id: string) => (await owner.call('GET', `/keys/approvals/${id}`)).body.status;

  it('approves on a phone with two taps, and the waiting agent gets the outcome', {
    tags: ['console.approvals.phone'],
  }, async () => {
    const { id } = await hold({ subject: 'Two taps' });
    const waited = server.call('GET', `/keys/approvals/${id}?wait=30`, { key: agent });
    const { context, page } = await browserOfUser(browser, server, owner, PHONE);
    await page.goto('/approvals');
    await page.getByRole('link', { name: 'Two taps' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Two taps' }).waitFor();
    expect(await overflowOf(page)).toBe(0);
    // In reach without scrolling.
    const button = page.getByRole('button', { name: 'Approve and send' });
    expect(await button.isVisible()).toBe(true);
    const box = await button.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(780);
    expect(box?.height).toBeGreaterThanOrEqual(36);
    await button.tap();
    await page.getByText('Approving “Two taps”').waitFor();
    expect(await statusOf(id)).toBe('pending');
    await passUndo(page);
    expect((await waited).body).toMatchObject({ status: 'approved', outcome: 'queued' });
    await page.getByText('“Two taps” was approved and is being sent.').waitFor();
    await context.close();
  });

  it('decides with three keys, and goes on to the next message', { tags: ['console.approvals.keys'] }, async () => {
    const second = await hold({ subject: 'Next in line' });
    const first = await hold({ subject: 'Newest of all' });
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto('/console/approvals');
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: 'Newest of all' }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('heading', { level: 1, name: 'Next in line' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/approvals/${second.id}`);
    await passUndo(page);
    await page.getByText('“Newest of all” was approved and is being sent.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    // Typing into a field is no shortcut.
    await page.locator('#note').fill('');
    await page.locator('#note').press('a');
    expect(await page.getByText('Approving “Next in line”').count()).toBe(0);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('r');
    expect(await page.getByLabel('Why').evaluate((field) => field === document.activeElement)).toBe(true);
    // While the form is open, nothing that is typed beside its fields decides.
    await page.getByLabel('Why').blur();
    await page.keyboard.type('a wrong amount, please fix');
    expect(await page.getByText('Approving “Next in line”').count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe(`/console/approvals/${second.id}`);
    await page.getByLabel('Why').selectOption('wrong_content');
    await page.locator('[aria-disabled]').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Reject: do not send it' }).press('Enter');
    await page.getByText('Rejecting “Next in line”').waitFor();
    await passUndo(page);
    await expect.poll(() => statusOf(first.id)).toBe('approved');
    await expect.poll(() => statusOf(second.id)).toBe('rejected');
    expect((await owner.call('GET', `/keys/approvals/${second.id}`)).body.rejectCode).toBe('wrong_content');
    await context.close();
  });

  it('reads the invoice of an agent, changes the text, sees what differs, and sends it', {
    tags: ['console.approvals.edit', 'console.approvals.files'],
    timeout: 60_000,
  }, async () => {
    const { id, emailId } = await hold({
      subject: 'Invoice 4711',
      html: '<h1>Invoice</h1>\n<p>You owe 1240 euros.</p>\n<p>Thank you</p>',
      attachments: [
        { filename: 'invoice.pdf', content: pdfOf('Total 1240') },
        { filename: 'terms.txt', content: Buffer.from('<b>Pay</b> soon').toString('base64') },
        { filename: 'tool.docm', content: 'QUJD' },
      ],
    });
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto(`/console/approvals/${id}`);
    await page.getByText('Show the pages').click();
    const frame = page.frameLocator('iframe[title="invoice.pdf"]');
    await expect.poll(() => frame.locator('.text').textContent(), { timeout: 15_000 }).toContain('Total 1240');
    await page.getByText('Show the text').click();
    expect(await page.locator('.files pre').textContent()).toBe('<b>Pay</b> soon');
    expect(await page.getByText('Files of this type can run programs.').count()).toBe(1);
    await page.keyboard.press('e');
    await page.getByLabel('HTML').fill('<h1>Invoice</h1>\n<p>You owe 990 euros.</p>\n<p>Thank you</p>');
    await page.getByLabel('Bcc').fill('not an address');
    await page.getByRole('button', { name: 'Compare with the original' }).click();
    // What was typed is still there, with the fault at its field.
    expect(await page.locator('#bcc-fault').count()).toBe(1);
    expect(await page.getByLabel('HTML').inputValue()).toContain('990');
    await page.getByLabel('Bcc').fill('');
    await page.getByRole('button', { name: 'Compare with the original' }).click();
    expect(await page.locator('.diff ins').allTextContents()).toEqual(['990']);
    expect(await page.locator('.diff .unseen').allTextContents()).toEqual(['Removed: ', 'Added: ']);
    const edited = page.frameLocator('iframe[title="The edited message as its recipients see it"]');
    await expect.poll(() => edited.locator('p').first().textContent()).toBe('You owe 990 euros.');
    expect(await statusOf(id)).toBe('pending');
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await passUndo(page);
    await expect.poll(() => statusOf(id)).toBe('approved');
    const sent = (await server.settled(emailId)).body;
    expect(sent).toMatchObject({ status: 'delivered', approval: { edited: ['html'] } });
    expect(sent.html).toContain('990');
    await context.close();
  });

  it('sees a new message without loading the page again', { tags: ['console.approvals.live'] }, async () => {
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto('/console/approvals');
    await page.locator('.live[data-state="on"]').first().waitFor();
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await hold({ subject: 'It appears by itself' });
    await page.getByRole('link', { name: 'It appears by itself' }).waitFor();
    expect(await page.evaluate(() => (globalThis as { isSamePage?: boolean }).isSamePage)).toBe(true);
    await context.close();
  });

  it('sees that live updates are paused while too many pages are open', {
    tags: ['console.approvals.live'],
    timeout: 60_000,
  }, async () => {
    const open = () => openEvents(server, '/console/live?watch=approvals', { cookie: owner.cookie });
    const streams = await Promise.all(Array.from({ length: 10 }, open));
    const { context, page } = await browserOfUser(browser, server, owner);
    await page.goto('/console/approvals');
    await page
      .getByText('Live updates paused: too many pages are open (limit: 10 per user and server process).')
      .waitFor();
    expect(await page.getByText('Connection lost').count()).toBe(0);
    for (const stream of streams) stream.close();
    // The server detects closed connections only after a moment.
    await expect
      .poll(async () => {
        const stream = await open();
        stream.close();
        return stream.response.status;
      })
      .toBe(200);
    await page.locator('.live').getByRole('link', { name: 'Reload' }).click();
    await page.locator('.live[data-state="on"]').first().waitFor();
    await context.close();
  });

  it('sees the message before the reason for its hold on a phone', { tags: ['console.approvals.phone'] }, async () => {
    const { id } = await hold({ subject: 'In order', html: `<p>${'<b>x</b> '.repeat(40_000)}</p>` });
    const { context, page } = await browserOfUser(browser, server, owner, PHONE);
    await page.goto(`/console/approvals/${id}`);
    const topOf = async (name: string) =>
      (await page.getByRole('heading', { level: 2, name }).boundingBox())?.y ?? Number.NaN;
    expect(await topOf('The message')).toBeLessThan(await topOf('Why it needs approval'));
    // It is too large to be checked completely, which is said beside the buttons.
    const warning = page.getByRole('group', { name: 'Decision' }).getByText('Not completely checked');
    expect(await warning.isVisible()).toBe(true);
    await page.setViewportSize({ width: 1_280, height: 900 });
    expect(await warning.isVisible()).toBe(true);
    const message = await page.getByRole('heading', { level: 2, name: 'The message' }).boundingBox();
    const reason = await page.getByRole('heading', { level: 2, name: 'Why it needs approval' }).boundingBox();
    expect(message?.x).toBeLessThan(reason?.x ?? 0);
    await context.close();
  });

  it('sees edited HTML before approving it without JavaScript', {
    tags: ['console.approvals.no-script', 'console.approvals.edit'],
  }, async () => {
    const { id } = await hold({ subject: 'Plain edit', html: '<p>Before</p>' });
    const { context, page } = await browserOfUser(browser, server, owner, { ...PHONE, javaScriptEnabled: false });
    await page.goto(`/console/approvals/${id}/edit`);
    const frame = page.frameLocator('iframe[name="edited-message"]').locator('p');
    expect(await frame.textContent()).toBe('Before');
    await page.getByLabel('HTML').fill('<p style="color:#f00">After</p><script>document.title="ran"</script>');
    await page.getByRole('button', { name: 'Show what you typed' }).click();
    await expect.poll(() => frame.textContent()).toBe('After');
    await page.getByRole('button', { name: 'Compare with the original' }).click();
    await page.getByRole('button', { name: 'Show how it will look' }).click();
    await expect.poll(() => frame.textContent()).toBe('After');
    expect(await frame.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(255, 0, 0)');
    expect(await overflowOf(page)).toBe(0);
    expect(await statusOf(id)).toBe('pending');
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await expect.poll(() => statusOf(id)).toBe('approved');
    await context.close();
  });

  it('reads and decides without JavaScript', { tags: ['console.approvals.no-script'] }, async () => {
    const { id } = await hold({ subject: 'Plain forms', html: '<p>Hello</p>' });
    const other = await hold({ subject: 'Plain ticks' });
    const { context, page } = await browserOfUser(browser, server, owner, { javaScriptEnabled: false });
    await page.goto('/console/approvals');
    await page.getByRole('link', { name: 'Plain forms' }).click();
    expect(await page.frameLocator('.mail-frame').locator('p').textContent()).toBe('Hello');
    await page.getByLabel('Remember these recipients').check();
    await page.getByRole('button', { name: 'Approve and send' }).click();
    expect(await page.locator('.notice.good').textContent()).toBe('“Plain forms” was approved and is being sent.');
    expect(await statusOf(id)).toBe('approved');
    await page.getByLabel('Choose “Plain ticks”').check();
    await page.locator('.bulk summary', { hasText: 'Reject' }).click();
    await page.getByLabel('Why').selectOption('not_needed');
    await page.getByRole('button', { name: 'Reject: do not send them' }).click();
    expect(await statusOf(other.id)).toBe('rejected');
    await page.goto('/console/approvals?status=rejected');
    await page.getByRole('link', { name: 'Plain ticks' }).click();
    expect(await page.locator('main').textContent()).toMatch(/You rejected it/);
    await context.close();
  });
});
