import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifyApprovers } from '../../packages/server/src/approvals/notify-approvers.ts';
import { holdingKey } from '../approvals/approving.ts';
import { phoningHtml } from '../console/phoning-html.ts';
import { startBrowser } from '../harness/browser.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** Names that the pages of one kind would contact. */
const CONTROL = 'control.canary.example';
const HELD = 'held.canary.example';
const CAPTURED = 'captured.canary.example';

describe('the pages that show third-party HTML, in a browser', () => {
  let server: TestApp;
  /** Every name leads to it. It serves the HTML as it is, and counts who is asked for. */
  let canary: Server;
  let hosts: string[];
  let folder: string;
  beforeAll(async () => {
    server = await startTestApp();
    canary = createServer((request, response) => {
      hosts.push(request.headers.host ?? '');
      response.setHeader('content-type', 'text/html').end(request.url === '/control' ? phoningHtml(CONTROL) : '');
    });
    canary.listen(0, '127.0.0.1');
    await once(canary, 'listening');
    folder = await mkdtemp(join(tmpdir(), 'postrider-netlog-'));
  });
  afterAll(async () => {
    canary.closeAllConnections();
    canary.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** What a browser does on its network while it shows pages: the requests that arrive, and every name that its own log has. */
  async function watch(
    show: (page: Page, browser: Browser) => Promise<void>,
  ): Promise<{ asked: string[]; log: string }> {
    hosts = [];
    const { port } = canary.address() as AddressInfo;
    const path = join(folder, 'log.json');
    const browser = await startBrowser([
      `--host-resolver-rules=MAP *.canary.example 127.0.0.1:${port}`,
      `--log-net-log=${path}`,
      '--net-log-capture-mode=Everything',
    ]);
    try {
      const page = await browser.newPage();
      await show(page, browser);
    } finally {
      await browser.close();
    }
    return { asked: hosts.filter((host) => host.includes('canary')), log: await readFile(path, 'utf8') };
  }

  /** The approval page of a held message with this HTML. */
  async function heldPage(html: string): Promise<string> {
    const { key } = await holdingKey(server);
    const sent = await server.send({ to: 'bob@receiver.example', html, text: 'x' }, { key });
    expect(sent.body.status).toBe('pending_approval');
    const onError = (error: unknown) => expect(error).toBeUndefined();
    await notifyApprovers({ ...server.app.services.auth.mailer, onError });
    const mails = async () => await readInstallationMail(server.database, { tag: 'approval' });
    await expect.poll(async () => (await mails()).length).toBeGreaterThan(0);
    return /https?:\S+\/approvals\/[\w-]+/.exec((await mails())[0]?.text ?? '')?.[0] ?? '';
  }

  it('have a working control: the same HTML by itself sends requests', async () => {
    const { port } = canary.address() as AddressInfo;
    const { asked, log } = await watch(async (page) => {
      await page.goto(`http://127.0.0.1:${port}/control`, { waitUntil: 'commit' });
      await expect.poll(() => hosts.filter((host) => host.endsWith(CONTROL)).length).toBeGreaterThan(5);
    });
    expect(asked.length).toBeGreaterThan(5);
    expect(log).toContain(CONTROL);
  });

  it('show a held message without a request or a lookup elsewhere', {
    tags: ['holes.preview-phones-home'],
  }, async () => {
    const url = await heldPage(`<h1>Held words</h1>${phoningHtml(HELD)}`);
    const { asked, log } = await watch(async (page) => {
      const response = await page.goto(url, { waitUntil: 'load' });
      expect(response?.headers()['x-dns-prefetch-control']).toBe('off');
      expect(await page.frameLocator('iframe').getByRole('heading', { name: 'Held words' }).count()).toBe(1);
      // And with the frame's document as its own page.
      await page.goto(`${url}/html`, { waitUntil: 'load' });
      const left = page.locator(
        'link, meta, base, script, iframe, object, embed, form[action], svg, math, [src]:not([src="data:,"], [src^="data:image/svg+xml,%3Csvg"]), [srcset], [href]:not([href="#"]), [background]',
      );
      expect(await left.count()).toBe(0);
    });
    expect(asked).toEqual([]);
    expect(log).toContain('127.0.0.1');
    expect(log).not.toContain(HELD);
  });

  it('show captured mail without a request or a lookup elsewhere', async () => {
    const { body } = await server.send({ subject: 'Loud', html: `<h1>Captured words</h1>${phoningHtml(CAPTURED)}` });
    expect((await server.settled(body.id)).body.status).toBe('delivered');
    const mailbox = (await server.call('GET', '/dev/mailbox', { key: null })).body.messages;
    const { id } = mailbox.find(({ subject }: { subject: string }) => subject === 'Loud');
    const { asked, log } = await watch(async (page) => {
      await page.goto(`${server.baseUrl}/console/mailbox/${id}`, { waitUntil: 'load' });
      expect(await page.frameLocator('iframe').getByRole('heading', { name: 'Captured words' }).count()).toBe(1);
    });
    expect(asked).toEqual([]);
    expect(log).not.toContain(CAPTURED);
  });
});
