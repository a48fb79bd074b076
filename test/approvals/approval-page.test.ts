import { mkdir } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { startBrowser } from '../harness/browser.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { holdingKey } from './approving.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** What an approver has to see through. */
const DECEIVING = {
  from: 'Billing <ada@sandbox.test>',
  to: ['Bob Receiver <bob@receiver.example>', `${'long'.repeat(14)}@${'very-long-label.'.repeat(8)}example`],
  cc: 'carol@receiver.example',
  bcc: 'hidden@elsewhere.example',
  reply_to: 'replies@elsewhere.example',
  subject: `Your invoice ${'without-a-space'.repeat(12)}`,
  html: `<h1>Invoice 4711</h1><p>Please pay at <a href="https://evil.example/pay?invoice=4711">https://acme.example/invoices/4711</a>
    or ask <a href="https://www.acme.example/help">acme.example</a>.</p>${'<table><tr>'.repeat(3)}<td width="1400">wide</td></tr></table>
    <img src="https://tracker.example/pixel.gif" width="2000">`,
  text: `Please pay.\n${'x'.repeat(600)}`,
  attachments: [
    { filename: 'invoice.png', content: PNG },
    { filename: 'terms & "conditions".txt', content: Buffer.from('<script>alert(1)</script>').toString('base64') },
    { filename: 'page.html', content: Buffer.from('<script>alert(1)</script>').toString('base64') },
  ],
};

describe('the page behind the link to an approver', () => {
  let server: TestApp;
  let browser: Browser;
  let link: string;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    browser = await startBrowser();
    const rules = { approvalMode: 'policy', holdWhen: { firstContact: true, linkDomainNotIn: ['acme.example'] } };
    const { key } = await holdingKey(server, { name: 'Invoices', ...rules });
    const { body } = await server.send(DECEIVING, { key, headers: { 'x-service-agent': 'Support bot' } });
    link = `${server.baseUrl}/approvals/${await makeApprovalLink(server.database.sql, body.approvalId)}`;
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  async function open(options: { width: number; colorScheme?: 'light' | 'dark' }): Promise<Page> {
    const { width, colorScheme = 'light' } = options;
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme, javaScriptEnabled: false });
    await page.goto(link);
    return page;
  }

  it('says in words why the message is held and for how long, and lists bcc recipients apart', async () => {
    const page = await open({ width: 1_280 });
    const text = await page.locator('main').textContent();
    for (const said of [
      'It was requested by Support bot, with the key Invoices, and is waiting for your decision.',
      'It expires in 72 hours',
      'It is the first email to at least one of its recipients.',
      'It links to a site outside the domains that this key may link to.',
    ])
      expect(text).toContain(said);
    expect(text).not.toMatch(/firstContact|linkDomainNotIn|\d{4}-\d\d-\d\dT/);
    expect(await page.locator('#bcc').textContent()).toMatch(/hidden@elsewhere\.example/);
    expect(await page.locator('dl.facts').textContent()).not.toContain('hidden@');
    await page.close();
  });

  it('warns about a link that names one site and opens another, and lists every place', async () => {
    const page = await open({ width: 1_280 });
    // The first warning is the dangerous one, with the text and where it leads.
    const warnings = await page.locator('[role=alert] li').allTextContents();
    expect(warnings[0]).toMatch(
      /“https:\/\/acme\.example\/invoices\/4711”.*https:\/\/evil\.example\/pay\?invoice=4711/,
    );
    const places = await page.locator('#places li').allTextContents();
    expect(places).toEqual(expect.arrayContaining(['evil.example', 'tracker.example', 'replies@elsewhere.example']));
    await page.close();
  });

  it.each([
    { width: 320, colorScheme: 'light' },
    { width: 360, colorScheme: 'dark' },
    { width: 768, colorScheme: 'light' },
    { width: 2_560, colorScheme: 'dark' },
  ] as const)('fits a window of $width pixels ($colorScheme)', async (window) => {
    const page = await open(window);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(window.width);
    const folder = process.env['SCREENSHOTS'];
    if (folder !== undefined) {
      await mkdir(folder, { recursive: true });
      await page.screenshot({ path: `${folder}/approval-${window.width}-${window.colorScheme}.png`, fullPage: true });
    }
    await page.close();
  });

  it('opens the files that browsers show without running them, and offers the others as downloads', async () => {
    const served = async (index: number) => {
      const response = await fetch(`${link}/files/${index}`);
      const { headers } = response;
      return [response.status, headers.get('content-type'), headers.get('content-disposition'), await response.text()];
    };
    expect((await served(0)).slice(0, 3)).toEqual([
      200,
      'image/png',
      `inline; filename="invoice.png"; filename*=UTF-8''invoice.png`,
    ]);
    expect(await served(1)).toEqual([
      ...[200, 'text/plain; charset=utf-8'],
      `inline; filename="terms & _conditions_.txt"; filename*=UTF-8''terms%20%26%20%22conditions%22.txt`,
      '<script>alert(1)</script>',
    ]);
    expect((await served(2)).slice(0, 3)).toEqual([
      ...[200, 'application/octet-stream', `attachment; filename="page.html"; filename*=UTF-8''page.html`],
    ]);
    expect((await fetch(`${link}/files/0`)).headers.get('x-content-type-options')).toBe('nosniff');
    for (const path of ['files/3', 'files/x', 'files/-1', 'files/00', 'files/%30'])
      expect((await fetch(`${link}/${path}`)).status).toBe(404);
    expect((await fetch(link.replace(/.{6}$/, 'aaaaaa/files/0'))).status).toBe(404);
    const page = await open({ width: 768 });
    expect(await page.locator('.files a').allTextContents()).toEqual([
      expect.stringMatching(/^Open/),
      expect.stringMatching(/^Open/),
      expect.stringMatching(/^Download/),
    ]);
    await page.close();
  });

  it('approves nothing when Enter is pressed, and decides with two taps', async () => {
    const page = await open({ width: 360 });
    await page.locator('#note').focus();
    await page.keyboard.press('Enter');
    expect(await page.title()).toContain('Send this email?');
    await page.locator('summary', { hasText: 'Reject' }).click();
    await page.getByLabel('Why').selectOption('not_needed');
    await page.getByRole('button', { name: 'Reject: do not send it' }).click();
    expect(await page.title()).toContain('Rejected');
    expect((await fetch(`${link}/files/0`)).status).toBe(404);
    await page.close();
  });
});
