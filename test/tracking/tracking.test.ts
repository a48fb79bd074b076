import { createServer } from 'node:http';
import { LIMITS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCaptured } from '../harness/captured-mail.ts';
import { startDatabaseProxy } from '../harness/database-proxy.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { parsedLinks } from '../links/parsed-links.ts';

interface Event {
  readonly seq: number;
  readonly type: string;
  readonly recipient: string | null;
  readonly classification: string | null;
  readonly detail: string | null;
}

interface TrackedMail {
  readonly id: string;
  readonly html: string;
  readonly text: string;
  /** The tracking URLs, as a mail client asks for them. */
  readonly pixel: string | null;
  readonly links: readonly string[];
}

const HTML = '<body><p>Hi <a href="https://shop.test/a?b=1&amp;c=2">there</a></p></body>';
const until = { timeout: 10_000, interval: 20 };
let subjects = 0;

/** Sends to the capturing mailbox and reads what a recipient gets. */
async function deliver(server: TestApp, key: string, body: Record<string, unknown>): Promise<TrackedMail> {
  subjects += 1;
  const subject = `Tracked ${subjects}`;
  const sent = await server.send({ to: 'ann@sandbox.test', subject, html: HTML, text: undefined, ...body }, { key });
  expect(sent.status).toBe(202);
  const { id } = sent.body;
  await expect
    .poll(async () => (await server.call('GET', `/emails/${id}`, { key })).body.status, until)
    .toBe('delivered');
  const [mail] = await readCaptured(server, subject);
  const html = mail?.parsed.html ?? '';
  const [, pixel = null] = /<img src="([^"]+\/t\/o\/[^"]+)"/.exec(html) ?? [];
  return { id, html, text: mail?.parsed.text ?? '', pixel, links: parsedLinks(html).map(({ value }) => value) };
}

const fetchPlain = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });

describe('tracking', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  async function account(switches: Record<string, boolean>): Promise<string> {
    const { key } = await server.newAccount();
    expect((await server.call('PATCH', '/account', { key, body: switches })).status).toBe(200);
    return key;
  }

  const read = async (key: string, id: string) => (await server.call('GET', `/emails/${id}`, { key })).body;
  const trackingEvents = async (key: string, id: string): Promise<Event[]> =>
    (await read(key, id)).events.filter(({ type }: Event) => type === 'opened' || type === 'clicked');

  it('is off until the account turns it on: no image, no rewritten link', {
    tags: ['service.tracking', 'account-and-statistics.tracking-flags'],
  }, async () => {
    const { key } = await server.newAccount();
    const mail = await deliver(server, key, {});
    expect(mail.html.trim()).toBe(HTML);
    const rows = await server.database.sql`SELECT 1 FROM message_tracking WHERE message_id = ${mail.id}`;
    expect(rows).toHaveLength(0);
  });

  it('appends a 1x1 image and rewrites links, in the delivered HTML and not in reads', {
    tags: ['emails-send.tracking', 'contract-messages.rendered-body-tracking', 'contract-sending.tracking'],
  }, async () => {
    const key = await account({ trackOpens: true, trackClicks: true });
    const text = 'Hi https://shop.test/a?b=1&c=2';
    const mail = await deliver(server, key, { text });
    expect(mail.pixel).toMatch(new RegExp(`^${server.baseUrl}/t/o/[\\w-]+$`));
    expect(mail.links).toEqual([expect.stringMatching(new RegExp(`^${server.baseUrl}/t/c/[\\w-]+$`))]);
    expect(mail.html).toMatch(/<img [^>]*width="1" height="1"[^>]*><\/body>/);
    expect(
      mail.html
        .replace(/<img [^>]*>/, '')
        .replace(mail.links[0] ?? '', 'https://shop.test/a?b=1&amp;c=2')
        .trim(),
    ).toBe(HTML);
    expect(mail.text.trim()).toBe(text);
    expect(await read(key, mail.id)).toMatchObject({ html: HTML, text });
    expect(await trackingEvents(key, mail.id)).toEqual([]);
  });

  it('tracks what its switch says and nothing else', async () => {
    const opens = await deliver(server, await account({ trackOpens: true }), {});
    expect([opens.pixel === null, opens.links]).toEqual([false, ['https://shop.test/a?b=1&c=2']]);
    const clicks = await deliver(server, await account({ trackClicks: true }), {});
    expect([clicks.pixel, clicks.links]).toEqual([null, [expect.stringContaining('/t/c/')]]);
  });

  it('leaves alone other links, the unsubscribe link, and what a template still has to fill in', {
    tags: [
      'emails-send.tracking-untouched',
      'emails-send.tracking-never-rewritten',
      'contract-sending.unsubscribe-untouched',
    ],
  }, async () => {
    const key = await account({ trackClicks: true });
    const links = [
      'https://list.test/off',
      'https://marked.test/',
      'https://own.test/',
      '#top',
      'mailto:a@shop.test',
      'tel:+491',
      'https://shop.test/{{name}}',
    ];
    const marks = ['', 'data-unsubscribe', 'data-no-track'];
    const html = links.map((url, index) => `<a ${marks[index] ?? ''} href="${url}">x</a>`).join('');
    const headers = { 'List-Unsubscribe': '<https://list.test/off>' };
    expect((await deliver(server, key, { html, headers })).links).toEqual(links);
  });

  it('records an open for a fetched image, and a click for a followed redirect, with the message’s recipient', {
    tags: [
      'events.opened',
      'events.clicked',
      'contract-messages.trail-types-tracking',
      'contract-messages.opens-and-clicks',
    ],
  }, async () => {
    const key = await account({ trackOpens: true, trackClicks: true });
    const mail = await deliver(server, key, {});
    const before = await read(key, mail.id);
    const image = await fetchPlain(mail.pixel ?? '');
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/gif']);
    expect(Buffer.from(await image.arrayBuffer()).subarray(0, 10)).toEqual(
      Buffer.from([...Buffer.from('GIF89a'), 1, 0, 1, 0]),
    );
    const followed = await fetchPlain(mail.links[0] ?? '');
    expect([followed.status, followed.headers.get('location')]).toEqual([302, 'https://shop.test/a?b=1&c=2']);
    for (const { headers } of [image, followed]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('set-cookie')).toBeNull();
    }
    const after = await read(key, mail.id);
    expect(after.status).toBe(before.status);
    expect(after.events.slice(before.events.length)).toEqual([
      {
        ...{ id: expect.any(String), createdAt: expect.any(String), classification: null },
        ...{ seq: before.events.length + 1, type: 'opened', recipient: 'ann@sandbox.test', detail: null },
      },
      {
        ...{ id: expect.any(String), createdAt: expect.any(String), classification: null },
        ...{ seq: before.events.length + 2, type: 'clicked', recipient: 'ann@sandbox.test' },
        detail: 'https://shop.test/a?b=1&c=2',
      },
    ]);
  });

  it('names no recipient when the message had several', { tags: ['contract-sending.tracking'] }, async () => {
    const key = await account({ trackOpens: true });
    const mail = await deliver(server, key, { to: ['ann@sandbox.test', 'ben@sandbox.test'] });
    await fetchPlain(mail.pixel ?? '');
    expect((await trackingEvents(key, mail.id)).map(({ recipient }) => recipient)).toEqual([null]);
  });

  it('stores neither address nor user agent of the client', { tags: ['emails-send.tracking-records'] }, async () => {
    const key = await account({ trackOpens: true, trackClicks: true });
    const mail = await deliver(server, key, {});
    const headers = { 'user-agent': 'Remarkable/1.0', 'x-forwarded-for': '203.0.113.99', cookie: 'a=b' };
    for (const url of [mail.pixel ?? '', mail.links[0] ?? '']) await fetchPlain(url, { headers });
    const rows = await server.database.sql`SELECT * FROM message_events WHERE message_id = ${mail.id}`;
    expect(rows.map(({ type }) => type)).toEqual(expect.arrayContaining(['opened', 'clicked']));
    expect(JSON.stringify(rows)).not.toMatch(/Remarkable|203\.0\.113\.99|127\.0\.0\.1/);
    const logged = await server.database.sql`SELECT 1 FROM request_log WHERE path LIKE '%/t/%'`;
    expect(logged).toHaveLength(0);
  });

  it('trust 33: redirects only to the stored URL; changed or made-up links are a page with 404', async () => {
    const key = await account({ trackOpens: true, trackClicks: true });
    const mail = await deliver(server, key, {});
    const link = mail.links[0] ?? '';
    const token = link.slice(link.lastIndexOf('/') + 1);
    const openToken = (mail.pixel ?? '').split('/').at(-1) ?? '';
    const wrong = [
      `/t/c/${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      `/t/c/${token}A`,
      `/t/c/${token.slice(2)}`,
      `/t/c/${openToken}`,
      `/t/o/${token}`,
      '/t/c/x',
      '/t/o/x',
      `/t/c/${encodeURIComponent('https://evil.test')}`,
    ];
    for (const path of wrong) {
      const response = await fetchPlain(`${server.baseUrl}${path}`);
      expect({ path, status: response.status, location: response.headers.get('location') }).toEqual({
        ...{ path, status: 404, location: null },
      });
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    const more = await fetchPlain(`${link}?url=https://evil.test&to=//evil.test`);
    expect(more.headers.get('location')).toBe('https://shop.test/a?b=1&c=2');
    await server.database.sql`DELETE FROM message_tracking WHERE message_id = ${mail.id}`;
    expect((await fetchPlain(link)).status).toBe(404);
  });

  it('writes a Location that is one header, whatever the link contains', async () => {
    const key = await account({ trackClicks: true });
    const html = '<a href="https://shop.test/ü&#13;&#10;x-evil:1 a">x</a>';
    const mail = await deliver(server, key, { html });
    const { headers } = await fetchPlain(mail.links[0] ?? '');
    expect(headers.get('location')).toBe('https://shop.test/%C3%BCx-evil:1%20a');
    expect(headers.get('x-evil')).toBeNull();
  });

  it('responds to HEAD as to GET, and counts it as neither an open nor a click; other methods are rejected', async () => {
    const key = await account({ trackOpens: true, trackClicks: true });
    const mail = await deliver(server, key, {});
    const [pixel, link] = [mail.pixel ?? '', mail.links[0] ?? ''];
    expect((await fetchPlain(pixel, { method: 'HEAD' })).headers.get('content-type')).toBe('image/gif');
    const head = await fetchPlain(link, { method: 'HEAD' });
    expect([head.status, head.headers.get('location')]).toEqual([302, 'https://shop.test/a?b=1&c=2']);
    expect((await fetchPlain(link, { method: 'POST' })).status).toBe(405);
    expect((await fetchPlain(pixel.replace('/t/', '/v1/t/'))).status).toBe(200);
    expect((await trackingEvents(key, mail.id)).map(({ type }) => type)).toEqual(['opened']);
  });

  it('records nothing while the switch is off again, and the links continue to work', {
    tags: ['events.opened', 'events.clicked'],
  }, async () => {
    const key = await account({ trackOpens: true, trackClicks: true });
    const mail = await deliver(server, key, {});
    await server.call('PATCH', '/account', { key, body: { trackOpens: false, trackClicks: false } });
    expect((await fetchPlain(mail.pixel ?? '')).status).toBe(200);
    expect((await fetchPlain(mail.links[0] ?? '')).status).toBe(302);
    expect(await trackingEvents(key, mail.id)).toEqual([]);
    expect((await deliver(server, key, {})).pixel).toBeNull();
  });

  it(`keeps ${LIMITS.trackingEventsPerMessage} events of each type, and numbers parallel events without gaps`, async () => {
    const key = await account({ trackOpens: true, trackClicks: true });
    const mail = await deliver(server, key, {});
    const [pixel, link] = [mail.pixel ?? '', mail.links[0] ?? ''];
    const fetches = Array.from({ length: LIMITS.trackingEventsPerMessage + 20 }, () => [pixel, link]).flat();
    await Promise.all(fetches.map((url) => fetchPlain(url)));
    await expect
      .poll(async () => (await trackingEvents(key, mail.id)).length, until)
      .toBe(2 * LIMITS.trackingEventsPerMessage);
    expect((await fetchPlain(link)).status).toBe(302);
    const { events, status } = await read(key, mail.id);
    expect(events.map(({ seq }: Event) => seq)).toEqual(events.map((_: Event, index: number) => index + 1));
    const counts = Map.groupBy<string, Event>(events, ({ type }) => type);
    expect([counts.get('opened')?.length, counts.get('clicked')?.length, status]).toEqual([
      ...[LIMITS.trackingEventsPerMessage, LIMITS.trackingEventsPerMessage],
      'delivered',
    ]);
  });

  it('waits for the writer of a message, and blocks no one', async () => {
    const key = await account({ trackOpens: true });
    const mail = await deliver(server, key, {});
    const mayEnd = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holder = server.database.sql.begin(async (transaction) => {
      await transaction`SELECT 1 FROM messages WHERE id = ${mail.id} FOR UPDATE`;
      isHeld.resolve();
      await mayEnd.promise;
    });
    await isHeld.promise;
    expect((await fetchPlain(mail.pixel ?? '')).status).toBe(200);
    expect(await trackingEvents(key, mail.id)).toEqual([]);
    mayEnd.resolve();
    await holder;
    await expect.poll(async () => (await trackingEvents(key, mail.id)).length, until).toBe(1);
  });

  it('serves the image without the database, asks to retry a link, and records the open when it is back', async () => {
    const key = await account({ trackOpens: true, trackClicks: true });
    const mail = await deliver(server, key, {});
    const proxy = await startDatabaseProxy(server.database);
    const other = await startTestApp({ database: proxy.database, settings: { POSTRIDER_ROLES: 'api' } });
    const here = (url: string | undefined) => (url ?? '').replace(server.baseUrl, other.baseUrl);
    await proxy.down();
    const image = await fetchPlain(here(mail.pixel ?? ''));
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/gif']);
    const refused = await fetchPlain(here(mail.links[0]));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
    await proxy.up();
    await expect.poll(async () => (await fetchPlain(here(mail.links[0]))).status, until).toBe(302);
    await expect
      .poll(async () => (await trackingEvents(key, mail.id)).map(({ type }) => type).sort(), until)
      .toEqual(expect.arrayContaining(['clicked', 'opened']));
    await other.close();
    await proxy.close();
  });

  it('follows a switch within a second on every process, and immediately on the one that changed it', async () => {
    const { key } = await server.newAccount();
    const other = await startTestApp({ database: server.database, settings: { POSTRIDER_ROLES: 'api' } });
    expect((await deliver(server, key, {})).pixel).toBeNull();
    await other.call('GET', '/account', { key });
    await server.call('PATCH', '/account', { key, body: { trackOpens: true } });
    expect((await deliver(server, key, {})).pixel).not.toBeNull();
    other.clock.advance(1_000);
    const { body } = await other.send({ html: HTML }, { key });
    const [row] = await server.database.sql`SELECT open_pixel FROM message_tracking WHERE message_id = ${body.id}`;
    expect(row?.['open_pixel']).toBe(true);
    await other.close();
  });

  it('follows a link to its end as a browser does', async () => {
    const target = createServer((_request, response) => response.end('the page'));
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const address = target.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const key = await account({ trackClicks: true });
    const mail = await deliver(server, key, { html: `<a href="http://127.0.0.1:${port}/page#part">x</a>` });
    const { headers } = await fetchPlain(mail.links[0] ?? '');
    expect(headers.get('location')).toBe(`http://127.0.0.1:${port}/page#part`);
    expect(await (await fetch(mail.links[0] ?? '')).text()).toBe('the page');
    target.close();
  });
});
