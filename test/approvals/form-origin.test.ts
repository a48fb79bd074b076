import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { startBrowser } from '../harness/browser.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { holdingKey } from './approving.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a decision by the link of an approver', () => {
  let server: TestApp;
  let owner: TestSession;
  let agent: string;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
    agent = (await holdingKey(server)).key;
  });
  afterAll(() => server.close());

  /** A held send and the link to its page. */
  async function hold(): Promise<{ readonly id: string; readonly link: string }> {
    const { approvalId: id } = (await server.send({}, { key: agent })).body;
    return { id, link: `/approvals/${await makeApprovalLink(server.database.sql, id)}` };
  }
  const status = async (id: string) => (await owner.call('GET', `/keys/approvals/${id}`)).body.status;
  /** The page of the link has the hash of what it shows. */
  const post = async (link: string, headers: Readonly<Record<string, string>>) => {
    const { body } = await server.call('GET', link, { key: null });
    const contentHash = /name="contentHash" value="([^"]+)"/.exec(body)?.[1] ?? '';
    const rawBody = new URLSearchParams({ decision: 'approve', contentHash }).toString();
    return await server.call('POST', link, { key: null, headers: { ...FORM, ...headers }, rawBody });
  };

  it.each([
    ['a page of another server', { origin: 'https://evil.example' }],
    ['a page of another site that hides its origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['another server, according to the browser', { 'sec-fetch-site': 'cross-site' }],
    ['another port, according to the browser', { 'sec-fetch-site': 'same-site' }],
    ['a browser whose headers disagree', { 'sec-fetch-site': 'cross-site', origin: 'HERE' }],
  ])(
    'is rejected from %s',
    { tags: ['holes.form-origin'] },
    async (_who, headers: Readonly<Record<string, string>>) => {
      const { id, link } = await hold();
      const said = headers['origin'] === 'HERE' ? { ...headers, origin: server.baseUrl } : headers;
      const refused = await post(link, said);
      expect([refused.status, await status(id)]).toEqual([403, 'pending']);
      expect(refused.body).toContain('The decision did not come from the page of this link.');
    },
  );

  it.each([
    ['`Origin`', { origin: 'HERE' }],
    ['`Sec-Fetch-Site`', { 'sec-fetch-site': 'same-origin' }],
    ['no header, as a program that has the link', {}],
    ['`Sec-Fetch-Site`, beside the `Origin: null` of no-referrer', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  ])('is accepted with %s', { tags: ['holes.form-origin'] }, async (_how, headers) => {
    const { id, link } = await hold();
    const said = 'origin' in headers && headers.origin === 'HERE' ? { origin: server.baseUrl } : headers;
    expect([(await post(link, said)).status, await status(id)]).toEqual([200, 'approved']);
  });

  describe('in Chromium', () => {
    let browser: Browser;
    let evil: Server;
    let target = '';
    beforeAll(async () => {
      browser = await startBrowser();
      evil = createServer((_request, response) => {
        const form = `<form method="post" action="${target}"><input name="decision" value="approve"><button>Win</button></form>`;
        response.writeHead(200, { 'content-type': 'text/html' }).end(form);
      });
      await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    });
    afterAll(async () => {
      await browser.close();
      evil.close();
    });

    it('is accepted from its own page only', { tags: ['holes.form-origin'] }, async () => {
      const { id, link } = await hold();
      const page = await browser.newPage({ javaScriptEnabled: false });
      target = `${server.baseUrl}${link}`;
      await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
      const [refused] = await Promise.all([
        page.waitForNavigation(),
        page.getByRole('button', { name: 'Win' }).click(),
      ]);
      expect([refused?.status(), await status(id)]).toEqual([403, 'pending']);
      await page.goto(target);
      const [decided] = await Promise.all([
        page.waitForNavigation(),
        page.getByRole('button', { name: 'Approve' }).click(),
      ]);
      expect([decided?.status(), await status(id)]).toEqual([200, 'approved']);
      await page.close();
    });
  });
});

describe('the sign-in forms', () => {
  it('require a page of this server, in development too', { tags: ['holes.form-origin'] }, async () => {
    const server = await startTestApp();
    const { cookie } = await signInAs(server, 'owner@sandbox.test');
    const forms = ['/auth/sign-in', '/auth/sign-out', '/auth/device/code', '/auth/device/decision'];
    for (const headers of [
      {},
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ]) {
      for (const path of forms) {
        const given = { key: null, headers: { ...FORM, cookie, ...headers }, rawBody: 'email=a%40b.example' };
        expect([path, (await server.call('POST', path, given)).status]).toEqual([path, 403]);
      }
    }
    expect((await server.call('GET', '/auth/session', { key: null, headers: { cookie } })).body.authenticated).toBe(
      true,
    );
    await server.close();
  });
});
