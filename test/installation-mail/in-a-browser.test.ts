import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifyApprovers } from '../../packages/server/src/approvals/notify-approvers.ts';
import { notifyOfDrafts } from '../../packages/server/src/approvals/notify-of-drafts.ts';
import { mailInvitation, mailSignInLink } from '../../packages/server/src/auth/sign-in-mail.ts';
import { addNotices, type NoticeKind, type QuotaFacts } from '../../packages/server/src/db/queries/notices.ts';
import { mailNotices } from '../../packages/server/src/notices/mail-notices.ts';
import type { UserMailer } from '../../packages/server/src/support/installation-mail.ts';
import { mailTicketReply } from '../../packages/server/src/support/mail-ticket-reply.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { holdingKey } from '../approvals/approving.ts';
import { startBrowser } from '../harness/browser.ts';
import { readInstallationMail, type StoredMail } from '../harness/installation-mail.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const LONG = 'W'.repeat(120);
const KINDS = [
  ...['approval of one', 'approval of two', 'draft', 'invitation', 'sign-in', 'ticket', 'webhook'],
  ...['webhooks', 'key', 'keys', 'degraded domain', 'failed domains', 'quota'],
] as const;

describe('mail of the installation in a browser', () => {
  let server: TestApp;
  let browser: Browser;
  let mails: readonly StoredMail[];
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startTestApp({ settings: { POSTRIDER_ROLES: 'api' } }),
      startBrowser(['--host-resolver-rules=MAP * ~NOTFOUND']),
    ]);
    mails = await writeOneOfEach();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  async function writeOneOfEach(): Promise<readonly StoredMail[]> {
    const onError = (error: unknown) => expect(error).toBeUndefined();
    const mailer = { ...server.app.services.auth.mailer, onError };
    const { key } = await holdingKey(server, { name: LONG.slice(0, 90) });
    const message = {
      ...{ to: [`"${LONG}" <${'a'.repeat(60)}@${'b'.repeat(60)}.example>`], bcc: ['spy@evil.example'] },
      ...{ subject: `<img src="https://evil.example/x"> ${LONG}`, agent_name: LONG },
      text: `<script src="https://evil.example/x"></script>\nשלום\n${'Z\u0336\u0321\u031b\u0358'.repeat(40)}\n${LONG.repeat(5)}`,
    };
    for (const count of [1, 2]) {
      for (let sent = 0; sent < count; sent += 1) {
        expect((await server.send(message, { key })).body.status).toBe('pending_approval');
      }
      await notifyApprovers(mailer);
    }
    const draft = { slug: 'a'.repeat(60), name: LONG.slice(0, 60), subject: 'x', text: 'x', note: LONG.slice(0, 90) };
    expect((await server.call('POST', '/templates', { key, body: draft })).status).toBe(201);
    await notifyOfDrafts(mailer);
    await mailInvitation(mailer, { to: 'ada@sandbox.test', accountName: LONG.slice(0, 90), role: 'developer' });
    await mailSignInLink(mailer, 'ada@sandbox.test', 'k'.repeat(43));
    const ticket = { id: '0198f0e2-0000-7000-8000-000000000001', number: 12, subject: LONG };
    await mailTicketReply({ ...mailer, supportFrom: null }, { to: 'ada@sandbox.test', ticket, body: `Hi\n${LONG}` });
    await writeNotices(mailer);
    return await readInstallationMail(server.database);
  }

  async function writeNotices(mailer: UserMailer): Promise<void> {
    const { accountId, clock, database } = server;
    const { sql } = database;
    const ids = createIdGenerator();
    const now = clock.now();
    const notify = async (kind: NoticeKind, targets: readonly (string | null)[], facts: QuotaFacts | null = null) => {
      const given = targets.map((targetId) => ({ accountId, id: ids.next(now), kind, targetId, facts }));
      await sql.begin((transaction) => addNotices(transaction, given, now));
      await mailNotices(mailer);
      // The next mail of this kind would wait.
      await sql`UPDATE notices SET mailed_at = mailed_at - interval '2 hours'`;
    };
    const made = async (path: string, body: object) => {
      const response = await server.call('POST', path, { body });
      expect(response.status).toBe(201);
      return response.body.id as string;
    };
    const hooks = [];
    for (const name of ['a', 'b', 'c'])
      hooks.push(await made('/webhooks', { url: `https://hooks.example/${name}${LONG}` }));
    await sql`UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'failing', failing_since = ${now}`;
    await notify('webhook.disabled', hooks.slice(0, 1));
    await notify('webhook.disabled', hooks.slice(1));
    const expiresAt = new Date(now.getTime() + 3 * 86_400_000).toISOString();
    const keys = [];
    for (const name of ['א', 'b', '<b>'])
      keys.push(await made('/keys', { name: `${name}${LONG.slice(0, 80)}`, scopes: ['sending'], expiresAt }));
    await notify('key.expiring', keys.slice(0, 1));
    await notify('key.expiring', keys.slice(1));
    const names = ['x', 'y', 'z'].map((name) => `${name.repeat(60)}.${LONG.slice(0, 60)}.example`);
    const domains = [];
    for (const name of names) domains.push(await made('/domains', { name }));
    const lost =
      'Required and missing: SPF, DKIM. Mail is still sent until 2026-11-27T10:00:00.000Z; then the domain fails.';
    await sql`UPDATE sending_domains SET status = 'degraded', status_reason = ${lost} WHERE id = ANY (${domains}::uuid[])`;
    await notify('domain.degraded', domains.slice(0, 1));
    await sql`UPDATE sending_domains SET status = 'failed' WHERE id = ANY (${domains}::uuid[])`;
    await notify('domain.failed', domains.slice(1));
    await notify('quota.threshold', [null], { limit: 100_000, used: 80_123, threshold: 80 });
  }

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each(KINDS)(
      'fits on a phone, is readable and asks no server for anything: %s',
      {
        tags: ['installation-mail.parts', 'notices.hostile'],
      },
      async (kind) => {
        const mail = mails[KINDS.indexOf(kind)];
        expect(mails).toHaveLength(KINDS.length);
        const page = await browser.newPage({ viewport: { width: 360, height: 640 }, colorScheme });
        const requested: string[] = [];
        page.on('request', (request) => requested.push(request.url()));
        await page.setContent(mail?.html ?? '');
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
        expect(await page.evaluate(lowestContrast)).toBeGreaterThanOrEqual(4.5);
        await page.setViewportSize({ width: 1_000, height: 640 });
        expect(await page.evaluate(() => document.querySelector('.sheet')?.clientWidth)).toBeLessThanOrEqual(600);
        expect(await page.locator('h1').count()).toBe(1);
        expect(requested).toEqual([]);
        await page.close();
      },
    );
  });

  it('has one button in each mail, which leads to its page, and a link for each of several holds', () => {
    const links = mails.map(({ html }) => [...html.matchAll(/<a ([^>]*)>/g)].map(([, given]) => given ?? ''));
    expect(links.map(({ length }) => length)).toEqual([1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    const buttons = links.map((one) => one.filter((given) => given.includes('class="button-label"')));
    expect(buttons.map(({ length }) => length)).toEqual(KINDS.map(() => 1));
    const paths = buttons.map(([given]) => /href="http:\/\/[^/]+([^"]*)"/.exec(given ?? '')?.[1]);
    expect(paths).toEqual([
      ...[expect.stringMatching(/^\/approvals\//), '/console/approvals', '/console/approvals'],
      ...['/auth/sign-in', expect.stringMatching(/^\/auth\/magic-link\//)],
      ...['/console/tickets/12', expect.stringMatching(/^\/console\/webhooks\/[\w-]{36}$/)],
      ...['/console/webhooks', expect.stringMatching(/^\/console\/keys\/[\w-]{36}$/), '/console/keys'],
      ...[expect.stringMatching(/^\/console\/domains\/[\w-]{36}$/), '/console/domains', '/console'],
    ]);
    for (const { html } of mails) expect(Buffer.byteLength(html)).toBeLessThan(20_000);
  });
});

/** The lowest contrast of shown text with what is behind it (WCAG 2.2, 1.4.3). Runs in the page. */
function lowestContrast(): number {
  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element | null): string => {
    if (element === null) return 'rgb(255, 255, 255)';
    const { backgroundColor } = getComputedStyle(element);
    return channels(backgroundColor)[3] === 0 ? behind(element.parentElement) : backgroundColor;
  };
  const ratios = [...document.body.querySelectorAll('*')]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== ''))
    .filter((element) => element.getClientRects().length > 0)
    .map((element) => {
      const [dark = 0, light = 0] = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort(
        (a, b) => a - b,
      );
      return (light + 0.05) / (dark + 0.05);
    });
  return Math.min(...ratios);
}
