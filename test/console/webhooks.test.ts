import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../harness/browser.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { overflowOf, postForm, visit } from './console-visits.ts';

const PATH = '/console/webhooks';

interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly status: string;
}

let server: TestApp;
let browser: Browser;
let owner: TestSession;
let receiver: WebhookReceiver;
let id: string;

beforeAll(async () => {
  [server, browser, receiver] = await Promise.all([startTestApp(), startBrowser(), startWebhookReceiver()]);
  owner = await signInAs(server, 'owner@sandbox.test');
  const body = { url: receiver.url, description: 'Orders <b>service</b>', events: ['suppression.added'] };
  id = (await owner.call('POST', '/webhooks', { body })).body.id;
});
afterAll(async () => {
  await browser.close();
  await server.close();
  await receiver.close();
});

const get = (path: string, session = owner) => session.call('GET', `${PATH}${path}`);

const post = (path: string, fields: Parameters<typeof postForm>[2] = {}, session = owner) =>
  postForm(session, `${PATH}${path}`, fields);

const endpoint = async (endpointId = id) => (await owner.call('GET', `/webhooks/${endpointId}`)).body;

/** Sends a test event, and returns its first attempt once it was made. */
async function attempted(): Promise<Delivery> {
  const { headers } = await post(`/${id}/test`);
  const eventId = new URL(headers.get('location') ?? '', server.baseUrl).searchParams.get('event_id');
  for (;;) {
    const { deliveries } = (await owner.call('GET', `/webhooks/${id}/deliveries?event_id=${eventId}`)).body;
    const made = deliveries.find(({ status }: Delivery) => status !== 'pending');
    if (made !== undefined) return made;
  }
}

describe('an endpoint', () => {
  it('is added with events of groups; its secret is shown once', {
    tags: ['console.webhooks.secret', 'console.webhooks.changes'],
  }, async () => {
    const added = await post('/create', [
      ['url', `${receiver.url}/added`],
      ['which', 'chosen'],
      ['events', 'email.bounced'],
      ['events', 'domain.failed'],
    ]);
    expect(added.status).toBe(200);
    expect(added.body).toMatch(/whsec_[\w+/=]+/);
    const { webhooks } = (await owner.call('GET', '/webhooks')).body;
    const made = webhooks.find(({ url }: { url: string }) => url.endsWith('/added'));
    expect(made).toMatchObject({ events: ['email.bounced', 'domain.failed'], description: null });
    for (const path of ['', `/${made.id}`, `/${made.id}/edit`]) expect((await get(path)).body).not.toContain('whsec_');
    const rotated = await post(`/${made.id}/rotate`);
    expect(rotated.body).toMatch(/whsec_[\w+/=]+/);
    expect((await post(`/${made.id}/delete`)).headers.get('location')).toBe(PATH);
    expect((await get(`/${made.id}`)).status).toBe(404);
  });

  it('is not added without a valid address or an event; the form keeps its input', {
    tags: ['console.webhooks.changes'],
  }, async () => {
    const refused = await post('/create', { url: 'ftp://"quoted".example', description: 'Kept <i>', which: 'all' });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('value="Kept &lt;i&gt;"');
    expect(refused.body).toContain('id="url-fault"');
    const none = await post('/create', { url: receiver.url, which: 'chosen' });
    expect(none.status).toBe(422);
    expect(none.body).toContain('Tick at least one event');
    expect(none.body).toContain(`value="${receiver.url}"`);
  });

  it('is changed, disabled and enabled', { tags: ['console.webhooks.changes'] }, async () => {
    const body = { url: `${receiver.url}/changing`, events: ['email.bounced'] };
    const { id: other } = (await owner.call('POST', '/webhooks', { body })).body;
    const form = (await get(`/${other}/edit`)).body;
    expect(form).toMatch(/value="email\.bounced" checked/);
    await post(`/${other}/edit`, { url: `${receiver.url}/changed`, description: 'New', which: 'all' });
    expect(await endpoint(other)).toMatchObject({ url: `${receiver.url}/changed`, description: 'New', events: [] });
    await post(`/${other}/status`, { status: 'disabled' });
    expect(await endpoint(other)).toMatchObject({ status: 'disabled' });
    const page = (await get(`/${other}`)).body;
    expect(page).toContain('A user or a key disabled it.');
    expect(page).not.toContain('Send a test event');
    await post(`/${other}/status`, { status: 'enabled' });
    expect(await endpoint(other)).toMatchObject({ status: 'enabled' });
  });

  it.each([
    ['viewer', 200, 403],
    ['approver', 403, 403],
    ['developer', 200, 303],
    ['admin', 200, 303],
  ])('offers a %s what the role may do', { tags: ['console.webhooks.roles'] }, async (role, seen, changed) => {
    const session = await joinAs(server, owner, role);
    const { status, body } = await get(`/${id}`, session);
    expect(status).toBe(seen);
    for (const offered of ['/edit"', 'Send a test event', 'Replay events', 'Rotate the secret', 'Delete the endpoint'])
      expect(body.includes(offered), offered).toBe(changed === 303);
    expect((await get(`/${id}/deliveries`, session)).status).toBe(seen);
    expect((await post(`/${id}/status`, { status: 'enabled' }, session)).status).toBe(changed);
    expect((await post(`/${id}/test`, {}, session)).status).toBe(changed);
    expect((await get(`/${id}/replay`, session)).status).toBe(changed === 303 ? 200 : 403);
  });
});

describe('the deliveries of an endpoint', () => {
  it('show the request and the response as text', {
    tags: ['console.webhooks.deliveries'],
    timeout: 60_000,
  }, async () => {
    receiver.respond((_event, response) => {
      response.writeHead(500).end(`<script>alert(1)</script>${'x'.repeat(900)}`);
    });
    const { id: deliveryId, eventId } = await attempted();
    const { body } = await get(`/${id}/deliveries/${deliveryId}`);
    expect(body).toContain('webhook-id');
    expect(body).toContain('&quot;type&quot;: &quot;webhook.test&quot;');
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(body).not.toContain('<script>alert');
    const failed = (await get(`/${id}/deliveries?status=failed&event_type=webhook.test`)).body;
    expect(failed).toContain(`id="delivery-${eventId}-1"`);
    expect(failed).toContain('<code>500</code>');
    expect((await get(`/${id}/deliveries?status=succeeded&event_id=${eventId}`)).body).toContain('No delivery matches');
    for (const path of ['', `/${id}`, `/${id}/deliveries`, `/${id}/deliveries/${deliveryId}`, `/${id}/replay`]) {
      const page = await visit({ server, browser, session: owner }, `${PATH}${path}`, { width: 360 });
      expect(await overflowOf(page), path).toBe(0);
      await page.context().close();
    }
  });

  it('can be repeated, and appear without reloading', {
    tags: ['console.webhooks.retry', 'console.webhooks.live'],
    timeout: 60_000,
  }, async () => {
    receiver.respond(500);
    const { id: deliveryId, eventId } = await attempted();
    receiver.respond(200);
    const page = await visit({ server, browser, session: owner }, `${PATH}/${id}/deliveries?event_id=${eventId}`);
    await page.locator('.live[data-state="on"]').waitFor();
    const retried = await post(`/${id}/deliveries/${deliveryId}/retry`);
    expect(retried.headers.get('location')).toBe(`${PATH}/${id}/deliveries?event_id=${eventId}`);
    await page.locator(`#delivery-${eventId}-2`, { hasText: 'Succeeded' }).waitFor();
    await page.context().close();
  });

  it('are counted before they are replayed', {
    tags: ['console.webhooks.replay'],
    timeout: 60_000,
  }, async () => {
    receiver.respond(200);
    const url = new URL('/replayed', receiver.url).href;
    const made = await owner.call('POST', '/webhooks', { body: { url, events: ['suppression.added'] } });
    const other = made.body.id;
    const arrived = () => receiver.received.filter(({ path }) => path === '/replayed').length;
    await owner.call('POST', '/suppressions', { body: { emails: ['a@replay.example', 'b@replay.example'] } });
    await expect.poll(arrived, { timeout: 10_000 }).toBe(2);
    const page = await visit({ server, browser, session: owner }, `${PATH}/${other}/replay`, { hasScript: false });
    await page.getByLabel('Which', { exact: true }).selectOption('');
    await page.getByRole('button', { name: 'Count the events' }).click();
    await page.getByText('2 events are delivered again.').waitFor();
    await page.getByText('Nothing is queued yet.').waitFor();
    expect(arrived()).toBe(2);
    await page.getByRole('button', { name: 'Replay 2 events' }).click();
    await page.getByText('2 events are delivered again now.').waitFor();
    await expect.poll(arrived, { timeout: 10_000 }).toBe(4);
    await page.context().close();
    const wide = await post(`/${id}/replay`, { since: '2020-01-01T00:00', status: '', action: 'count' });
    expect(wide.status).toBe(422);
    expect(wide.body).toContain('value="2020-01-01T00:00"');
  });
});
