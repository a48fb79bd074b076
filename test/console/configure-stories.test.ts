import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser } from '../harness/browser.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { type DomainServer, startDomainServer } from '../operations/domains/domain-server.ts';

let world: DomainServer;
let browser: Browser;
let owner: TestSession;

beforeAll(async () => {
  [world, browser] = await Promise.all([startDomainServer(), startBrowser()]);
  owner = await signInAs(world.server, 'owner@sandbox.test');
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

async function openConsole(path: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const [name = '', value = ''] = owner.cookie.split('=');
  await context.addCookies([{ name, value, url: world.server.baseUrl }]);
  const page = await context.newPage();
  await page.goto(`${world.server.baseUrl}/console${path}`);
  return page;
}

it('adds a domain, copies its records, and verifies it', { tags: ['console.configure.domains'] }, async () => {
  const page = await openConsole('/domains');
  await page
    .getByRole('link', { name: /Add a domain/ })
    .first()
    .click();
  await page.getByLabel('Domain name').fill('not a domain');
  await page.getByRole('button', { name: 'Add the domain' }).click();
  await expect.poll(() => page.locator('#name-fault').textContent()).toMatch(/a space.*which domain names cannot have/);
  await page.getByLabel('Domain name').fill('mail.acme.example');
  await page.getByRole('button', { name: 'Add the domain' }).click();
  await page.getByRole('heading', { level: 1, name: 'mail.acme.example' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const { records } = (await world.server.call('GET', `/domains/${id}/records`)).body;
  const [dkim] = records.filter(({ purpose }: { purpose: string }) => purpose === 'dkim');
  await page.getByRole('button', { name: 'Copy the value of the DKIM record' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(dkim.value);
  await page.getByText('Show the zone file').click();
  expect(await page.locator('pre').filter({ hasText: 'DNS records of' }).textContent()).toContain(`${dkim.host}. `);
  await page.getByRole('button', { name: /Verify now/ }).click();
  await page.getByText(/required records were not found yet/).waitFor();
  world.publish(records);
  await page.keyboard.press('v');
  await page.getByText('Verified: all required records were found.').waitFor();
  expect(await page.locator('.badge').filter({ hasText: 'Found' }).count()).toBeGreaterThanOrEqual(3);
});

it('shows that a domain was verified elsewhere, without a reload', {
  tags: ['console.configure.domains'],
}, async () => {
  const created = await world.server.call('POST', '/domains', { body: { name: 'news.acme.example' } });
  const page = await openConsole(`/domains/${created.body.id}`);
  await page.locator('.live[data-state="on"]').waitFor();
  world.publish(created.body.records);
  await world.server.call('POST', `/domains/${created.body.id}/verify`);
  await page.getByText('Mail can be sent from this domain.').waitFor();
});

it('says what a key could do while its form is filled in', { tags: ['console.configure.keys'] }, async () => {
  const page = await openConsole('/keys/create');
  const policy = page.locator('#policy');
  await expect.poll(() => policy.textContent()).toContain('May send to anyone.');
  await page.getByLabel('Only these recipients').fill('@acme.example');
  await expect.poll(() => policy.textContent()).toContain('anyone at acme.example');
  expect(await page.getByLabel('Mail with files').isVisible()).toBe(false);
  await page.getByLabel('Some messages wait for approval').check();
  await page.getByLabel('Mail with files').check();
  await expect.poll(() => policy.textContent()).toContain('Messages with attachments');
  expect(await page.getByLabel('Only these recipients').inputValue()).toBe('@acme.example');
});
