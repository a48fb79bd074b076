import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../harness/browser.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const HOSTILE = {
  from: 'Ada <ada@sandbox.test>',
  to: 'someone@example.org',
  bcc: 'hidden@example.org',
  subject: `A <b>bold</b> subject ${'W'.repeat(800)}`,
  html: '<h1>Good day</h1><script>document.title = "taken over"</script><img src="https://tracker.example/x.gif">',
  text: 'Good day, as text',
  attachments: [{ filename: '<b>page.html', content: Buffer.from('<script>alert(1)</script>').toString('base64') }],
};

let server: TestApp;
let browser: Browser;
let owner: TestSession;
/** Of the message, and of what was captured of it. */
let messageId: string;
let id: string;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
  owner = await signInAs(server, 'owner@sandbox.test');
  const { body } = await server.send(HOSTILE);
  messageId = body.id;
  await server.settled(messageId);
  const { messages } = (await server.call('GET', '/dev/mailbox', { key: null })).body;
  id = messages[0].id;
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const get = (path: string) => server.call('GET', `/console/mailbox${path}`, { key: null });

describe('the development mailbox', () => {
  it('shows a captured message with its envelope, forms, headers, files and message', {
    tags: ['console.mailbox.shows'],
  }, async () => {
    const { status, body } = await get(`/${id}`);
    expect(status).toBe(200);
    expect(body).toContain('hidden@example.org');
    expect(body).toContain(`href="/console/messages/${messageId}"`);
    expect(body).toContain(`src="/console/mailbox/${id}/html"`);
    expect(body).toContain('&lt;b&gt;page.html');
    expect((await get(`/${id}?show=text`)).body).toContain('Good day, as text');
    expect((await get(`/${id}?show=headers`)).body).toMatch(/message-id/i);
    expect((await get(`/${id}?show=source`)).body).toContain('MIME-Version: 1.0');
  });

  it('serves files and sources as downloads only', { tags: ['console.mailbox.shows'] }, async () => {
    const raw = await get(`/${id}/message.eml`);
    expect(raw.headers.get('content-type')).toBe('message/rfc822');
    expect(raw.body).toMatch(/^Subject: /m);
    const file = await get(`/${id}/files/0`);
    expect(file.body).toBe('<script>alert(1)</script>');
    for (const { headers } of [raw, file, await get(`/${id}/text.txt`)]) {
      expect(headers.get('content-disposition')).toMatch(/^attachment; /);
      expect(headers.get('content-security-policy')).toContain('sandbox');
    }
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    for (const path of [
      `/${id}/files/1`,
      `/${id}/files/x`,
      `/${id}/files/00`,
      '/nope',
      '/01936a2e-0000-7000-8000-000000000000/html',
    ])
      expect((await get(path)).status, path).toBe(404);
  });

  it('is searched by subject, sender and recipient, and paged', { tags: ['console.mailbox.search'] }, async () => {
    const sent = await Promise.all(
      Array.from({ length: 52 }, (_, index) =>
        server.send({ from: 'Bea <bea@sandbox.test>', to: `reader-${index}@example.net`, subject: `Digest ${index}` }),
      ),
    );
    sent.push(await server.send({ to: 'reader@münchen.example', subject: 'Another' }));
    await Promise.all(sent.map(({ body }) => server.settled(body.id)));
    const rows = (body: string) => body.match(/<tr id="captured-/g)?.length ?? 0;
    for (const [q, found] of [
      ['DIGEST 51', 1],
      ['reader-51@', 1],
      ['bold</b>', 1],
      ['bea@sandbox', 50],
      ['no-such', 0],
      ['MÜNCHEN.ex', 1],
    ] as const)
      expect(rows((await get(`?q=${encodeURIComponent(q)}`)).body), q).toBe(found);
    const first = (await get('?q=digest')).body;
    expect(first).toContain('52 messages');
    const next = /href="\/console\/mailbox(\?[^"]+)" rel="next"/.exec(first)?.[1] ?? '';
    expect(rows((await get(next.replaceAll('&amp;', '&'))).body)).toBe(2);
    expect(rows((await get(`?message=${messageId}`)).body)).toBe(1);
    expect((await get('?cursor=nonsense')).status).toBe(422);
    for (const q of ['%00digest', '%ffdigest']) expect((await get(`?q=${q}`)).status).toBe(422);
  });

  it('is a page of the console for users, and live', { tags: ['console.mailbox.shows'] }, async () => {
    const { body } = await owner.call('GET', '/console/mailbox');
    expect(body).toContain('aria-label="Console"');
    expect(body).toContain('data-watch="mailbox"');
    expect((await get('')).body).not.toContain('aria-label="Console"');
  });

  it('is read before the sign-in, without scripts and on a phone, and runs nothing', {
    tags: ['console.mailbox.signed-out'],
  }, async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 780 }, javaScriptEnabled: false });
    const page = await context.newPage();
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${server.baseUrl}/console/mailbox?q=bold`);
    const width = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(await width()).toBeLessThanOrEqual(0);
    await page.getByRole('link', { name: 'bold' }).click();
    expect(await page.frameLocator('iframe').getByRole('heading', { name: 'Good day' }).count()).toBe(1);
    expect(await page.title()).toContain('A <b>bold</b> subject');
    expect(await width()).toBeLessThanOrEqual(0);
    expect([...hosts].filter((host) => host !== new URL(server.baseUrl).host && host !== '')).toEqual([]);
    await context.close();
  });

  it('exists only under the host of the server, and not for pages of other origins', {
    tags: ['console.mailbox.signed-out'],
  }, async () => {
    const { host } = new URL(server.baseUrl);
    for (const headers of ['Host: evil.example\r\n', `Host: ${host}\r\nOrigin: https://evil.example\r\n`])
      expect(
        await sendRaw(server.baseUrl, `GET /console/mailbox/${id} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`),
      ).toContain('404 Not Found');
  });
});
