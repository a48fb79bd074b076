import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PROBLEMS = 'status=problem';

let server: TestApp;
let owner: TestSession;
let viewer: TestSession;
let keyId: string;
let withFiles: string;

beforeAll(async () => {
  server = await startTestApp();
  owner = await signInAs(server, 'owner@sandbox.test');
  viewer = await joinAs(server, owner, 'viewer');
  const key = await server.newKey({ accountId: server.accountId, name: 'Shop <b>backend</b>' });
  keyId = (await server.call('GET', '/keys/self', { key })).body.id;
  const file = (filename: string, content: string | Buffer, content_type: string) => ({
    ...{ filename, content_type, content: Buffer.from(content).toString('base64') },
  });
  const { body } = await server.send(
    {
      subject: 'With files',
      html: '<p>See the files</p>',
      attachments: [
        file('pixel.png', PNG, 'image/png'),
        file('notes "1".txt', 'Two words', 'text/plain'),
        file('page.html', '<script>alert(1)</script>', 'text/html'),
        file('invoice.pdf', '%PDF-1.4', 'application/pdf'),
      ],
    },
    { key },
  );
  withFiles = body.id;
  await server.settled(withFiles);
  for (const to of ['bounced@sandbox.test', 'complained@sandbox.test'])
    await server.settled((await server.send({ subject: `Problem of ${to}`, to })).body.id);
});
afterAll(() => server.close());

const get = (path: string, session = owner) => session.call('GET', `/console${path}`);

describe('the files of a message', () => {
  it('are shown in the page if they can run nothing, and offered with a warning otherwise', {
    tags: ['console.messages.files'],
  }, async () => {
    const { body } = await get(`/messages/${withFiles}/content`);
    expect(body).toContain('4 attached files');
    expect(body).toContain(`<img src="/console/messages/${withFiles}/files/0"`);
    expect(body).toContain('\nTwo words</pre>');
    expect(body).toContain(`data-pdf="/console/messages/${withFiles}/files/3"`);
    expect(body.match(/Files of this type can run programs/g)).toHaveLength(1);
  });

  it('are sent so that nothing in them runs', { tags: ['console.messages.files'] }, async () => {
    const picture = await get(`/messages/${withFiles}/files/0`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    const page = await get(`/messages/${withFiles}/files/2`);
    expect(page.headers.get('content-type')).toBe('application/octet-stream');
    expect(page.headers.get('content-disposition')).toMatch(/^attachment; filename="page.html"/);
    for (const { headers } of [picture, page]) {
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
    }
    for (const index of ['4', '-1', '0x0', '00', '01', '%30', '00000000', '1e0', '%2e%2e', '__proto__', '', '0/'])
      expect((await get(`/messages/${withFiles}/files/${index}`)).status, index).toBe(404);
  });

  it('are for roles that may read the content, of the same account', {
    tags: ['console.messages.files', 'console.messages.roles'],
  }, async () => {
    const stranger = await signInAs(server, 'stranger@elsewhere.example');
    for (const session of [stranger, viewer])
      expect((await get(`/messages/${withFiles}/files/0`, session)).status).toBe(404);
    const approver = await joinAs(server, owner, 'approver');
    expect((await get(`/messages/${withFiles}/files/0`, approver)).status).toBe(200);
  });

  it('are gone with the content', { tags: ['console.messages.files'] }, async () => {
    const attachments = [{ filename: 'a.txt', content: 'YQ==', content_type: 'text/plain' }];
    const { body } = await server.send({ attachments, scheduled_at: 'P1D' });
    expect((await get(`/messages/${body.id}/files/0`)).status).toBe(200);
    await server.call('POST', `/emails/${body.id}/cancel`);
    expect((await get(`/messages/${body.id}/files/0`)).status).toBe(404);
  });
});

describe('the key of a message', () => {
  it('leads to its page, and from there to all messages of the key', { tags: ['console.messages.key'] }, async () => {
    expect((await get(`/messages/${withFiles}`)).body).toContain(
      `<a href="/console/keys/${keyId}"><bdi>Shop &lt;b&gt;backend&lt;/b&gt;</bdi></a>`,
    );
    expect((await get(`/keys/${keyId}`)).body).toContain(`href="/console/messages?key_id=${keyId}"`);
    const { body } = await get(`/messages?key_id=${keyId}`);
    expect(body.match(/<tr id="message-/g)).toHaveLength(1);
    expect(body).toContain('aria-label="Remove the filter Key: Shop &lt;b&gt;backend&lt;/b&gt;"');
    // A search keeps it.
    expect(body).toContain(`<input type="hidden" name="key_id" value="${keyId}">`);
  });

  it('is not shown to a role that may not see keys, nor found out by the filter', {
    tags: ['console.messages.key', 'console.messages.roles'],
  }, async () => {
    expect((await get(`/messages/${withFiles}`, viewer)).body).not.toMatch(/Shop|\/console\/keys/);
    expect((await get(`/messages?key_id=${keyId}`, viewer)).body).toContain('No message matches');
  });

  it('is the user of a message that a user sent', { tags: ['console.messages.key'] }, async () => {
    const { body } = await owner.call('POST', '/emails', {
      body: { from: 'Ada <ada@sandbox.test>', to: 'delivered@sandbox.test', subject: 'By hand', text: 'Hi' },
    });
    const page = (await get(`/messages/${body.id}`)).body;
    expect(page).toContain('<span class="faint">(a user)</span>');
    expect(page).not.toContain('href="/console/keys/');
  });
});

describe('the problems', () => {
  it('are a view of every status that needs attention', { tags: ['console.messages.problems'] }, async () => {
    const all = (await get('/messages?sender=ada%40sandbox.test')).body;
    expect(all).toContain(`href="/console/messages?sender=ada%40sandbox.test&amp;${PROBLEMS}">Problems</a>`);
    const { body } = await get(`/messages?${PROBLEMS}`);
    expect(body.match(/<tr id="message-/g)).toHaveLength(2);
    expect(body).toContain(`href="/console/messages?${PROBLEMS}" aria-current="true">Problems</a>`);
    expect(body.match(/aria-label="Remove the filter /g)).toHaveLength(1);
    expect(body).toContain('aria-label="Remove the filter Status: Problems"');
    expect(body).toContain(`/emails/export?format=csv&amp;${PROBLEMS}`);
    expect(body).toMatch(/<option value="problem" selected>Problems<\/option>/);
  });
});

describe('the frame of a message', () => {
  it('can be made taller by a link', { tags: ['console.messages.body'] }, async () => {
    const { body } = await get(`/messages/${withFiles}/content`);
    expect(body).toContain('class="mail-frame roomy"');
    expect(body).toMatch(/href="[^"]+\/content\?show=displayed&amp;height=full"[^>]*>Taller frame/);
    const tall = (await get(`/messages/${withFiles}/content?show=displayed&height=full`)).body;
    expect(tall).toContain('class="mail-frame tall"');
    expect(tall).toContain('sandbox=""');
  });

  it('is below a path that ends with the page above', async () => {
    const { body } = await get(`/keys/${keyId}/edit`);
    expect(body).toMatch(/API keys<\/a><span aria-hidden="true">\/<\/span><a [^>]+>[^<]+<\/a><\/nav>/);
  });
});
