import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../approvals/approving.ts';
import { startBrowser } from '../harness/browser.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';

let server: TestApp;
let browser: Browser;
let owner: TestSession;
let bounced: string;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestApp(), startBrowser()]);
  owner = await signInAs(server, 'owner@sandbox.test');
  bounced = await sent({
    to: ['Ann <bounced@sandbox.test>', 'delivered@sandbox.test'],
    bcc: 'auditor@sandbox.test',
    subject: 'Invoice 2026-117 is due',
    html: '<h1>Invoice</h1><script>document.title = "taken over"</script><img src="https://tracker.example/x.gif">',
    tags: ['invoice', 'billing'],
    agent_name: 'Collections agent',
    source: 'agent',
    metadata: { customer: '4411' },
    headers: { 'X-Campaign': 'dunning' },
  });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Sends a message and waits for its outcome. */
async function sent(body: Readonly<Record<string, unknown>>): Promise<string> {
  const { body: accepted } = await server.send(body);
  await server.settled(accepted.id);
  return accepted.id;
}

const get = (path: string, session = owner): Promise<TestResponse> => session.call('GET', `/console/messages${path}`);

const post = (path: string, fields: Readonly<Record<string, string>> = {}, session = owner): Promise<TestResponse> =>
  session.call('POST', `/console/messages${path}`, {
    rawBody: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

async function openPage(path: string, options: { width?: number; hasScript?: boolean } = {}): Promise<Page> {
  const { width = 1_280, hasScript = true } = options;
  const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled: hasScript });
  const [name = '', value = ''] = owner.cookie.split('=');
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  const page = await context.newPage();
  await page.goto(`${server.baseUrl}/console/messages${path}`);
  return page;
}

describe('the message log', () => {
  it('filters by everything the API filters by, and lists the filters as links that remove them', {
    tags: ['console.messages.filters'],
  }, async () => {
    const keyId = (await server.call('GET', '/keys/self')).body.id;
    const query = new URLSearchParams([
      ...[
        ['q', 'invoice'],
        ['status', 'bounced'],
        ['tag', 'billing'],
        ['tag', 'invoice'],
        ['channel', 'api'],
      ],
      ...[
        ['source', 'agent'],
        ['agent_name', 'Collections agent'],
        ['key_id', keyId],
        ['recipient', 'bounced@sandbox.test'],
      ],
      ...[
        ['domain', 'sandbox.test'],
        ['sender', 'ada@sandbox.test'],
        ['from', '2020-01-01'],
        ['to', '2100-01-01'],
      ],
    ]);
    const { status, body } = await get(`?${query}`);
    expect(status).toBe(200);
    expect(body).toContain(`href="/console/messages/${bounced}"`);
    expect(body.match(/aria-label="Remove the filter /g)).toHaveLength(13);
    expect(body).toContain('aria-label="Remove the filter Agent: Collections agent"');
    expect(body).toContain('aria-label="Remove the filter Key: First key"');
    expect(body).toContain('value="billing, invoice"');
    expect(body).toMatch(/\/emails\/export\?format=jsonl&amp;q=invoice&amp;status=bounced&amp;[^"]+&amp;tag=billing/);
    const other = await get('?status=bounced&tag=nothing-has-it');
    expect(other.body).toContain('No message matches');
  });

  it('shows a refused filter with what was typed and what is wrong', {
    tags: ['console.messages.filters'],
  }, async () => {
    const { status, body } = await get('?q=a&recipient=nobody&status=delivered');
    expect(status).toBe(422);
    expect(body).toContain('value="nobody"');
    expect(body).toContain('id="q-fault"');
    expect(body).toContain('id="recipient-fault"');
    // The field with the fault can be seen.
    expect(body).toContain('<details class="more" open>');
    expect(body).toContain('role="alert"');
  });

  it('filters by the status, the agent and the tag of a row', { tags: ['console.messages.filters'] }, async () => {
    const page = await openPage('', { hasScript: false });
    const row = page.locator(`#message-${bounced}`);
    await row.getByRole('link', { name: 'billing' }).click();
    await page.locator('.card').getByRole('link', { name: 'Collections agent' }).first().click();
    await page.locator('.card').getByRole('link', { name: 'Bounced' }).first().click();
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({
      status: 'bounced',
      agent_name: 'Collections agent',
      tag: 'billing',
    });
    await page.getByRole('link', { name: 'Remove the filter Tag: billing' }).click();
    expect(new URL(page.url()).searchParams.has('tag')).toBe(false);
    await page.context().close();
  });

  it('pages through all messages, and exports them with the session', {
    tags: ['console.messages.filters'],
  }, async () => {
    const { accountId } = server;
    await Promise.all(
      Array.from({ length: 51 }, (_, index) => server.send({ subject: `Page ${index}`, tags: ['paged'] })),
    );
    const first = (await get('?tag=paged')).body;
    expect(first).toContain('51 messages');
    expect(first).toContain('data-watch="messages"');
    const next = /class="button small" href="\/console\/messages([^"]+)" rel="next"/.exec(first)?.[1] ?? '';
    const second = (await get(next.replaceAll('&amp;', '&'))).body;
    expect(second.match(/<tr id="message-/g)).toHaveLength(1);
    expect(second).toContain('data-watch=""');
    expect(second).toContain('Back to the newest');
    const file = await owner.call('GET', '/emails/export?format=csv&tag=paged');
    expect(file.body.split('\n').filter((line: string) => line.includes('Page '))).toHaveLength(51);
    expect(accountId).toBe(owner.account.id);
  });

  it('shows a new message without reloading', { tags: ['console.messages.live'] }, async () => {
    const page = await openPage('');
    await page.locator('.live[data-state="on"]').waitFor();
    const { body } = await server.send({ subject: 'Came in while the page was open' });
    await page.locator(`#message-${body.id}`).waitFor();
    await page.context().close();
  });
});

describe('the page of a message', () => {
  it('leads from the log to the reason of a bounce and to the suppression', {
    tags: ['console.messages.explained'],
  }, async () => {
    expect((await get(`/${bounced}`)).body).not.toContain('It is on the suppression list');
    await server.call('POST', '/suppressions', { body: { emails: ['bounced@sandbox.test'], reason: 'manual' } });
    const page = await openPage('?q=2026-117');
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Bounced' }).click();
    await page.getByRole('link', { name: 'Invoice 2026-117 is due' }).click();
    const reason = page.getByRole('region', { name: 'What went wrong' });
    expect(await reason.textContent()).toContain('The address does not exist');
    expect(await reason.textContent()).toContain('550 5.1.1 The address does not exist (test address)');
    await reason.getByRole('link', { name: 'See the entry' }).click();
    expect(await page.locator('tbody').textContent()).toContain('bounced@sandbox.test');
    await page.context().close();
  });

  it('shows recipients with blind copies apart, events in words, and where the message is from', {
    tags: ['console.messages.explained'],
  }, async () => {
    const { body } = await get(`/${bounced}`);
    const apart = body.indexOf('<h2>Blind copies');
    expect(body.slice(0, apart)).not.toContain('id="recipient-bcc-');
    expect(body.slice(apart)).toContain('id="recipient-bcc-auditor%40sandbox.test"');
    for (const words of ['A mail server took responsibility for it.', 'Collections agent', 'REST API', '4411'])
      expect(body).toContain(words);
    expect(body).toContain(`data-copy="${bounced}"`);
    expect(body).toContain(`/console/mailbox?message=${bounced}`);
    expect(body).toContain(`data-watch="message:${bounced}"`);
  });

  it('says what a message waits for, and what became of one that no one sends', {
    tags: ['console.messages.explained'],
  }, async () => {
    const { key } = await holdingKey(server);
    const held = (await server.send({ subject: 'Held' }, { key })).body;
    const waiting = (await get(`/${held.id}`)).body;
    expect(waiting).toContain('It is waiting for approval');
    expect(waiting).toContain(`/console/approvals/${held.approvalId}`);
    expect(waiting).not.toContain('Resend now');
    const complained = await sent({ to: 'complained@sandbox.test' });
    expect((await get(`/${complained}`)).body).toContain('The recipient reported it as spam');
    const unknown = await get('/01936a2e-0000-7000-8000-000000000000');
    expect([unknown.status, unknown.body.includes('Not found')]).toEqual([404, true]);
  });

  it('shows an event that comes in without reloading', { tags: ['console.messages.live'] }, async () => {
    const { body } = await server.send({ subject: 'Later', scheduled_at: 'P1D' });
    const page = await openPage(`/${body.id}`);
    await page.locator('.live[data-state="on"]').waitFor();
    await server.call('POST', `/emails/${body.id}/cancel`);
    await page.locator('.timeline').getByText('Canceled', { exact: true }).waitFor();
    await page.context().close();
  });
});

describe('changes of a message', () => {
  it('resends once, however often the form is sent, and shows the new message', {
    tags: ['console.messages.changes'],
  }, async () => {
    const first = await sent({ subject: 'Again' });
    const { body } = await get(`/${first}`);
    expect(body).toContain('whichever is stricter');
    const once = /name="once" value="([^"]+)"/.exec(body)?.[1] ?? '';
    const [one, two] = [await post(`/${first}/resend`, { once }), await post(`/${first}/resend`, { once })];
    expect([one?.status, two?.status]).toEqual([303, 303]);
    const target = one?.headers.get('location') ?? '';
    expect(two?.headers.get('location')).toBe(target);
    const shown = await owner.call('GET', target);
    expect(shown.body).toContain(`href="/console/messages/${first}">The first message`);
    const { total } = (await server.call('GET', '/emails?q=Again')).body;
    expect(total).toBe(2);
  });

  it('shows why a resend is refused on the page of the message', { tags: ['console.messages.changes'] }, async () => {
    const first = await sent({ to: 'gone@receiver.example', subject: 'To a former customer' });
    await server.call('POST', '/suppressions', { body: { emails: ['gone@receiver.example'], reason: 'manual' } });
    const { status, body } = await post(`/${first}/resend`);
    expect(status).toBe(422);
    expect(body).toContain('role="alert"');
    expect(body).toContain('To a former customer');
  });

  it('changes the time of a scheduled message, sends it now, and keeps a refused time', {
    tags: ['console.messages.changes'],
  }, async () => {
    const { body } = await server.send({ subject: 'Digest', scheduled_at: 'P1D' });
    const at = new Date(server.clock.now().getTime() + 2 * 86_400_000).toISOString().slice(0, 16);
    expect((await post(`/${body.id}/reschedule`, { at })).status).toBe(303);
    expect((await server.call('GET', `/emails/${body.id}`)).body.scheduledAt).toBe(`${at}:00.000Z`);
    const refused = await post(`/${body.id}/reschedule`, { at: '2099-01-01T00:00' });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain('value="2099-01-01T00:00"');
    expect((await post(`/${body.id}/reschedule`, { now: 'true' })).status).toBe(303);
    expect((await server.settled(body.id)).body.status).toBe('delivered');
  });

  it('cancels a message that was not sent yet, and refuses later', { tags: ['console.messages.changes'] }, async () => {
    const { body } = await server.send({ subject: 'Never', scheduled_at: 'P1D' });
    expect((await post(`/${body.id}/cancel`)).status).toBe(303);
    const shown = await get(`/${body.id}`);
    expect(shown.body).toContain('It was canceled');
    expect(shown.body).not.toContain('/cancel"');
    expect((await get(`/${body.id}/content`)).body).toContain('The content of a canceled message is not kept.');
    expect((await post(`/${body.id}/cancel`)).status).toBe(409);
  });

  it('accepts no form of another origin', { tags: ['console.messages.changes'] }, async () => {
    const response = await owner.call('POST', `/console/messages/${bounced}/resend`, {
      rawBody: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
    });
    expect(response.status).toBe(403);
  });
});

describe('the roles', () => {
  it('decide what a page shows and does', { tags: ['console.messages.roles'] }, async () => {
    const scheduled = (await server.send({ subject: 'For roles', scheduled_at: 'P1D' })).body.id;
    const done = await sent({ subject: 'For roles', bcc: 'blind@sandbox.test', html: '<p>secret words</p>' });
    const expected = [
      { role: 'viewer', acts: false, content: false },
      { role: 'approver', acts: false, content: true },
      { role: 'developer', acts: true, content: true },
      { role: 'admin', acts: true, content: true },
    ];
    for (const { role, acts, content } of expected) {
      const session = await joinAs(server, owner, role);
      const seen = async (path: string) => (await get(path, session)).body;
      expect((await seen(`/${scheduled}`)).includes('Cancel the message'), role).toBe(acts);
      expect((await seen(`/${done}`)).includes('Resend now'), role).toBe(acts);
      expect((await seen(`/${done}`)).includes('blind@sandbox.test'), role).toBe(content);
      expect((await seen(`/${done}/content`)).includes('Your role does not include the content'), role).toBe(!content);
      expect((await get(`/${done}/html`, session)).status, role).toBe(content ? 200 : 404);
      expect((await get(`/${done}/html.txt`, session)).body.includes('secret words'), role).toBe(content);
      if (!acts) expect((await post(`/${scheduled}/cancel`, {}, session)).status, role).toBe(403);
      expect((await get('', session)).status, role).toBe(200);
    }
  });

  it('send visitors to the sign-in, and back to the same view', { tags: ['console.messages.roles'] }, async () => {
    const response = await server.call('GET', '/console/messages?status=bounced', { key: null });
    expect(response.headers.get('location')).toBe('/auth/sign-in?next=%2Fconsole%2Fmessages%3Fstatus%3Dbounced');
  });

  it('keep the messages of other accounts apart', { tags: ['console.messages.roles'] }, async () => {
    const stranger = await signInAs(server, 'stranger@elsewhere.example');
    for (const path of [`/${bounced}`, `/${bounced}/content`, `/${bounced}/html`, `/${bounced}/text.txt`])
      expect((await get(path, stranger)).status).toBe(404);
    expect((await post(`/${bounced}/resend`, {}, stranger)).status).toBe(404);
  });
});

describe('the content', () => {
  it('is displayed in a frame that runs and loads nothing', { tags: ['console.messages.body'] }, async () => {
    const page = await openPage(`/${bounced}/content`);
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    expect(await page.frameLocator('iframe').getByRole('heading', { name: 'Invoice' }).count()).toBe(1);
    expect(await page.title()).toBe('Invoice 2026-117 is due – Postrider');
    expect([...hosts].filter((host) => host !== new URL(server.baseUrl).host)).toEqual([]);
    const { headers, body } = await get(`/${bounced}/html`);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(body).not.toMatch(/<script|tracker\.example/);
    await page.context().close();
  });

  it('is shown as text, source and headers, escaped, and downloaded as text', {
    tags: ['console.messages.body'],
  }, async () => {
    const source = (await get(`/${bounced}/content?show=source`)).body;
    expect(source).toContain('&lt;script&gt;document.title');
    expect((await get(`/${bounced}/content?show=headers`)).body).toContain('X-Campaign');
    expect((await get(`/${bounced}/content?show=text`)).body).toMatch(/<pre[^>]*>\s*Hi there/);
    const file = await get(`/${bounced}/html.txt`);
    expect(file.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${bounced}-html.txt"`);
    expect(file.body).toContain('<script>document.title = "taken over"</script>');
  });
});

describe('a hostile message', () => {
  const SUBJECT = `<img src=x onerror=alert(1)> ${'W'.repeat(900)} 🎉`;
  let id: string;
  beforeAll(async () => {
    const many = Array.from({ length: 50 }, (_, n) => `p${n}@${'label-'.repeat(8)}${n}.${'x'.repeat(50)}.example`);
    const { body } = await server.send({
      ...{ to: many.slice(0, 30), cc: many.slice(30, 40), bcc: many.slice(40), subject: SUBJECT },
      html: `<p>${'words '.repeat(330_000)}</p>`,
      tags: Array.from({ length: 10 }, (_, n) => `<b>${'t'.repeat(40)}${n}`),
      agent_name: `<script>alert(1)</script>${'n'.repeat(50)}`,
      metadata: { '<b>': 'v'.repeat(400) },
      attachments: Array.from({ length: 20 }, (_, n) => ({
        filename: `${'f'.repeat(150)}${n}<b>.pdf`,
        content: 'aGk=',
      })),
    });
    id = body.id;
    expect(id, JSON.stringify(body)).toEqual(expect.any(String));
    await server.settled(id);
  });

  it('makes no page wider than a phone, and runs nothing', { tags: ['console.messages.hostile'] }, async () => {
    const page = await openPage('', { width: 360 });
    for (const path of [
      '',
      `?tag=${encodeURIComponent(`<b>${'t'.repeat(40)}1`)}&q=${'q'.repeat(200)}`,
      `/${id}`,
      `/${id}/content`,
      `/${id}/content?show=source`,
    ]) {
      await page.goto(`${server.baseUrl}/console/messages${path}`, { waitUntil: 'domcontentloaded' });
      const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect(wider, path).toBeLessThanOrEqual(0);
      expect(await page.locator('main img, main script, main b b').count(), path).toBe(0);
    }
    await page.context().close();
  });

  it('shows what cannot be seen in the reply of a mail server', { tags: ['console.messages.hostile'] }, async () => {
    const detail = `550 No \u202emoc.elpmaxe\u202c ${'r'.repeat(900)}`;
    const { sql } = server.database;
    await sql`UPDATE message_events SET type = 'bounced', classification = 'block', detail = ${detail}
      WHERE account_id = ${server.accountId} AND message_id = ${id} AND type = 'delivered'`;
    const { body } = await get(`/${id}`);
    expect(body).toMatch(/U\+202E<\/span>\s*moc\.elpmaxe/);
    expect(body).not.toMatch(/[\u202a-\u202e]/);
    expect(body).toContain('The recipient’s server refused it');
  });

  it('keeps pages small', { tags: ['console.messages.body'] }, async () => {
    for (const path of [`/${id}`, `/${id}/content`, `/${id}/content?show=source`]) {
      const { body } = await get(path);
      expect(Buffer.byteLength(body), path).toBeLessThan(400_000);
    }
    expect((await get(`/${id}/html.txt`)).body).toHaveLength(330_000 * 6 + 7);
  });
});
