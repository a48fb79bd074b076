import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../approvals/approving.ts';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { startBrowser } from '../harness/browser.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from '../mcp/connect.ts';

const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

describe('approving with a passkey in a browser', { tags: ['passkeys.story'] }, () => {
  let server: TestApp;
  let browser: Browser;
  let owner: TestSession;
  let agent: { readonly id: string; readonly key: string };
  let origin: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
    origin = server.baseUrl.replace('127.0.0.1', 'localhost');
    owner = await signInAs(server, 'owner@sandbox.test');
    agent = await holdingKey(server, { name: 'Support agent' });
    await owner.call('PATCH', '/account', { body: { approvers: { requirePasskey: true } } });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  async function sitDown(options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    await context.request.post(`${origin}/dev/session`, { data: { email: 'owner@sandbox.test' } });
    return { context, page, cdp, authenticatorId, complaints };
  }
  /** Of a user who has none: with the link from the mail. */
  async function addPasskey(page: Page, shot: (name: string) => Promise<void> = async () => undefined) {
    await page.goto(`${origin}/auth/passkeys`);
    await shot('first');
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await page.getByText('A link was sent to owner@sandbox.test').waitFor();
    await shot('mailed');
    const mail = (await readInstallationMail(server.database, { tag: 'first-passkey' })).at(-1);
    await page.goto(/http:\S+\/auth\/passkeys\/first\/[\w-]+/.exec(mail?.text ?? '')?.[0] ?? '');
    await shot('link');
    await page.getByLabel('A name for the new passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.waitForURL(`${origin}/auth/passkeys`);
    await page.locator('li').last().waitFor();
    await shot('added');
  }
  const hold = async () => (await server.send({}, { key: agent.key })).body.approvalId as string;
  const statusOf = async (id: string) => (await owner.call('GET', `/keys/approvals/${id}`)).body.status;

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('a first passkey is confirmed from the mailbox: %s, %i px', async (colorScheme, width) => {
    await server.database.sql`DELETE FROM passkeys`;
    const desk = await sitDown({ colorScheme, viewport: { width, height: 800 } });
    const { page } = desk;
    const shot = async (name: string) => {
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      ).toBeLessThanOrEqual(0);
      await shoot(page, `passkey-${name}-${colorScheme}-${width}`);
    };
    await addPasskey(page, shot);
    expect((await owner.call('GET', '/passkeys')).body.passkeys).toHaveLength(1);
    await page.goBack();
    await page.getByRole('heading', { name: 'This link does not work here' }).waitFor();
    await shot('dead');
    await page.goto(`${origin}/console/mailbox`);
    await page.getByText('Add your first passkey').first().click();
    await shot('captured');
    expect(desk.complaints.filter((text) => !text.includes('404'))).toEqual([]);
    await desk.context.close();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('an agent is held, a person approves, and the agent is told: %s, %i px', async (colorScheme, width) => {
    await server.database.sql`DELETE FROM passkeys`;
    const desk = await sitDown({ colorScheme, viewport: { width, height: 800 } });
    const { page } = desk;
    await addPasskey(page);
    const mcp = await connectTo(server, 'toolsets=approvals', agent.key);
    const message = {
      from: 'a@sandbox.test',
      to: 'bob@receiver.example',
      subject: `Refund ${colorScheme} ${width}`,
      text: 'Your refund.',
    };
    const { approvalId } = (await mcp.call('send_email', message)).record;
    const told = mcp.call('get_approval', { id: approvalId, wait: 50 });
    await page.goto(`${origin}/console/approvals/${approvalId}`);
    expect(await page.locator('main').textContent()).toContain('Approving this needs your passkey.');
    await shoot(page, `hold-${colorScheme}-${width}`);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.waitForURL(`${origin}/console/approvals`);
    expect((await told).record).toMatchObject({ status: 'approved', decidedBy: owner.user.memberId });
    const { deciders } = claimsIn((await owner.call('GET', `/keys/approvals/${approvalId}`)).body.receipt);
    expect(deciders[0].assertion).toMatchObject({ rpId: 'localhost', confirmed: 'approve' });
    expect(desk.complaints.filter((text) => !text.includes('403'))).toEqual([]);
    await page.goto(`${origin}/console/settings`);
    await shoot(page, `settings-${colorScheme}-${width}`);
    await page.getByRole('button', { name: 'Require no passkey' }).click();
    await page.getByRole('heading', { name: 'Confirm with your passkey' }).waitFor();
    await shoot(page, `confirm-${colorScheme}-${width}`);
    await page.goto(`${origin}/console/keys/${agent.id}/edit`);
    await shoot(page, `key-${colorScheme}-${width}`);
    await mcp.close();
    await desk.context.close();
  });

  it('by the link in a mail, which names no session', async () => {
    await server.database.sql`DELETE FROM passkeys`;
    const { page, context } = await sitDown();
    await addPasskey(page);
    await context.clearCookies();
    const id = await hold();
    await page.goto(`${origin}/approvals/${await makeApprovalLink(server.database.sql, id)}`);
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    expect(await statusOf(id)).toBe('approved');
    await context.close();
  });

  it('decides nothing if the user cancels', async () => {
    await server.database.sql`DELETE FROM passkeys`;
    const { page, cdp, authenticatorId, context } = await sitDown();
    await addPasskey(page);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    const id = await hold();
    await page.goto(`${origin}/console/approvals/${id}`);
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('No passkey was used. Try again, or use another way. Nothing was changed.').waitFor();
    expect(await statusOf(id)).toBe('pending');
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.waitForURL(`${origin}/console/approvals`);
    expect(await statusOf(id)).toBe('approved');
    await context.close();
  });

  it('changes a setting on the page that asks for the passkey', async () => {
    await server.database.sql`DELETE FROM passkeys`;
    const { page, context } = await sitDown();
    await addPasskey(page);
    await page.goto(`${origin}/console/settings`);
    await page.getByRole('button', { name: 'Require no passkey' }).click();
    await page.getByRole('button', { name: 'Confirm with your passkey' }).click();
    await page.getByText('Approvals need no passkey any more.').waitFor();
    await page.getByRole('button', { name: 'Require a passkey' }).click();
    await page.getByText('Approvals need a passkey from now on.').waitFor();
    await context.close();
  });

  it('adds a second passkey, and removes one, with the first', async () => {
    await server.database.sql`DELETE FROM passkeys`;
    const { page, cdp, authenticatorId, context } = await sitDown();
    await addPasskey(page);
    // As if the next one were on another device.
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    const second = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...AUTHENTICATOR, transport: 'usb' },
    });
    expect([credentials.length, second.authenticatorId]).toEqual([1, expect.any(String)]);
    await page.getByLabel('A name for the new passkey').fill('Key ring');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('Key ring').waitFor();
    await page.getByRole('button', { name: 'Remove the passkey Key ring' }).click();
    await page.getByText('Key ring').waitFor({ state: 'detached' });
    expect((await owner.call('GET', '/passkeys')).body.passkeys.map(({ name }: { name: string }) => name)).toEqual([
      'Laptop',
    ]);
    await context.close();
  });

  it.each([
    ['without scripts', 'A passkey needs JavaScript'],
    ['without passkeys in the browser', 'A passkey needs JavaScript'],
    ['without a passkey of the user', 'You have no passkey yet'],
  ])('says what is needed %s', async (condition, words) => {
    await server.database.sql`DELETE FROM passkeys`;
    const first = await sitDown();
    if (!condition.includes('of the user')) await addPasskey(first.page);
    await first.context.close();
    const { page, context } = await sitDown({ javaScriptEnabled: condition !== 'without scripts' });
    if (condition === 'without passkeys in the browser') {
      await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'PublicKeyCredential'));
    }
    const id = await hold();
    await page.goto(`${origin}/console/approvals/${id}`);
    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText(words).waitFor();
    expect(await statusOf(id)).toBe('pending');
    await context.close();
  });
});

function claimsIn(receipt: string) {
  return JSON.parse(Buffer.from(receipt.split('.')[1] ?? '', 'base64url').toString());
}

/** For a look at the pages: set `SHOTS` to a folder. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
