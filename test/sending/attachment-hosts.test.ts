import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendRequestSchema } from '@postrider/core';
import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findKeyById } from '../../packages/server/src/db/queries/api-keys.ts';
import { toCaller } from '../../packages/server/src/keys/caller.ts';
import { areHostsWithin, isFetchable } from '../../packages/server/src/sending/attachment-hosts.ts';
import { senderOf } from '../../packages/server/src/sending/judged-sender.ts';
import { sendMessages } from '../../packages/server/src/sending/send-messages.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from '../mcp/connect.ts';

describe('the list of hosts that attachments are fetched from', () => {
  it.each([
    ['https://files.example.com/a', ['files.example.com'], true],
    ['https://FILES.example.com:8443/a', ['files.example.com'], true],
    ['https://bücher.example/a', ['xn--bcher-kva.example'], true],
    ['https://a.files.example.com/a', ['files.example.com'], false],
    ['https://a.example.com/a', ['*.example.com'], true],
    ['https://example.com/a', ['*.example.com'], false],
    ['https://notexample.com/a', ['*.example.com'], false],
    ['https://example.com.evil.test/a', ['example.com', '*.example.com'], false],
    ['https://example.com@evil.test/a', ['example.com'], false],
    ['https://example.com%2eevil.test/a', ['example.com'], false],
    ['https://evil.test\\@example.com/a', ['example.com'], false],
    ['https://example.com./a', ['example.com'], false],
    ['no url', ['example.com'], false],
    ['https://example.com/a', [], false],
  ])('decides on %s with %j', (url, list, allowed) => {
    expect(isFetchable(url, [list])).toBe(allowed);
    expect(isFetchable(url, [null, list])).toBe(allowed);
  });

  it('is compared with another one entry by entry', () => {
    expect(areHostsWithin(null, null)).toBe(true);
    expect(areHostsWithin(null, ['a.example'])).toBe(false);
    expect(areHostsWithin([], [])).toBe(true);
    expect(areHostsWithin(['a.b.example', '*.a.b.example'], ['*.b.example'])).toBe(true);
    expect(areHostsWithin(['*.b.example'], ['b.example'])).toBe(false);
    expect(areHostsWithin(['b.example'], ['*.b.example'])).toBe(false);
    expect(areHostsWithin(['*.b.example'], ['*.b.example'])).toBe(true);
  });
});

describe('attachments named by URL', () => {
  let server: TestApp;
  let dns: TestDnsServer;
  let connections = 0;
  const canary = createServer((_request, response) => response.end('fetched'));
  canary.on('connection', () => {
    connections += 1;
  });
  let url: string;
  beforeAll(async () => {
    canary.listen(0, '127.0.0.1');
    await once(canary, 'listening');
    url = `http://files.test:${(canary.address() as AddressInfo).port}/stolen`; // A TCP server has no other kind of address.
    dns = await startDnsServer();
    dns.set('files.test', 'A', '127.0.0.1');
    server = await startTestApp({ dnsServers: [dns.address] });
  });
  beforeEach(() => {
    connections = 0;
  });
  afterAll(async () => {
    await server.close();
    await dns.close();
    canary.close();
  });

  const newKey = async (fields: Readonly<Record<string, unknown>> = {}) => {
    const { status, body } = await server.call('POST', '/keys', {
      body: { name: 'Agent', scopes: ['sending'], ...fields },
    });
    expect(status).toBe(201);
    return body as { readonly id: string; readonly key: string };
  };
  const file = () => ({ filename: 'a.txt', url });
  const email = () => ({
    from: 'ada@sandbox.test',
    to: 'a@example.com',
    subject: 'Hi',
    text: 'Hi',
    attachments: [file()],
  });
  const lookups = () => dns.questions.filter(({ name }) => name === 'files.test').length;

  describe.each([
    ['a key that is always held', { approvalMode: 'always' }],
    ['a key that a policy holds', { approvalMode: 'policy', holdWhen: { hasBcc: true } }],
    ['a test key', { mode: 'test' }],
    ['a key with a recipient allowlist', { recipientAllowlist: ['@example.com'] }],
    ['an ordinary key with other hosts listed', { attachmentHosts: ['files.example.com'] }],
  ])('of %s', (_kind, fields) => {
    it('fetch from no host that is not listed, on any surface', { tags: ['holes.attachment-urls'] }, async () => {
      const { key } = await newKey(fields);
      const before = lookups();
      const refused = await server.call('POST', '/emails', { key, body: email() });
      expectProblem(refused, 422, 'attachment_url_refused');
      expect(refused.body.fix).toContain('attachmentHosts');
      expect(refused.body.fix).toContain('base64');
      expect(refused.body.errors).toMatchObject([{ path: 'attachments.0.url', code: 'attachment_url_refused' }]);
      const { body: batch } = await server.call('POST', '/emails/batch', { key, body: { emails: [email(), email()] } });
      expect(batch.results.map(({ error }: { error: { code: string } }) => error.code)).toEqual(
        Array(2).fill('attachment_url_refused'),
      );
      const { body: dry } = await server.call('POST', '/emails', { key, body: { ...email(), dry_run: true } });
      expect(dry.checks).toContainEqual(
        expect.objectContaining({ name: 'attachments', ok: false, code: 'attachment_url_refused' }),
      );
      const sdk = new Postrider({ apiKey: key, baseUrl: server.baseUrl });
      await expect(sdk.emails.send(email())).rejects.toMatchObject({ code: 'attachment_url_refused' });
      const tools = await connectTo(server, '', key);
      for (const [tool, given] of [
        ['send_email', { ...email(), to: ['a@example.com'] }],
        ['preview_email', { ...email(), to: ['a@example.com'] }],
        ['send_email_batch', { emails: [{ ...email(), to: ['a@example.com'] }] }],
      ] as const) {
        expect(JSON.stringify((await tools.call(tool, given)).record), tool).toContain('attachment_url_refused');
      }
      await tools.close();
      expect({ connections, lookups: lookups() - before }).toEqual({ connections: 0, lookups: 0 });
    });
  });

  it('are fetched for a held key from a host that a user listed, and are held as fetched', {
    tags: ['holes.attachment-urls'],
  }, async () => {
    const { key } = await newKey({ approvalMode: 'always', attachmentHosts: ['Files.TEST'] });
    const { status, body } = await server.call('POST', '/emails', { key, body: email() });
    expect([status, body.status]).toEqual([202, 'pending_approval']);
    expect(connections).toBe(1);
    const { body: hold } = await server.call('GET', `/keys/approvals/${body.approvalId}`);
    expect(hold.attachments).toEqual([{ filename: 'a.txt', contentType: 'text/plain', size: 7 }]);
  });

  it('are not fetched in a dry run of any key, which reports them without a size', {
    tags: ['holes.attachment-urls'],
  }, async () => {
    const { key } = await newKey({
      approvalMode: 'policy',
      holdWhen: { hasAttachments: true },
      attachmentHosts: ['files.test'],
    });
    const before = lookups();
    for (const caller of [server.key, key]) {
      const { body } = await server.call('POST', '/emails', { key: caller, body: { ...email(), dry_run: true } });
      expect(body).toMatchObject({ ok: true, approvalRequired: caller === key });
      expect(body.message.attachments).toEqual([{ filename: 'a.txt', contentType: 'text/plain', size: null }]);
      const tools = await connectTo(server, '', caller);
      const { record } = await tools.call('preview_email', { ...email(), to: ['a@example.com'] });
      expect(record.message.attachments).toEqual([{ filename: 'a.txt', contentType: 'text/plain', size: null }]);
      await tools.close();
    }
    expect({ connections, lookups: lookups() - before }).toEqual({ connections: 0, lookups: 0 });
  });

  it('are judged by the stricter of the caller and the key of the send', {
    tags: ['holes.attachment-urls'],
  }, async () => {
    const ordinary = await newKey();
    const held = await newKey({ approvalMode: 'always' });
    const read = async (id: string) => {
      const row = await findKeyById(server.database.sql, server.accountId, id);
      if (row === null) throw new Error(`no key ${id}`);
      return toCaller(row);
    };
    const order = {
      request: sendRequestSchema.parse(email()),
      fixedChannel: null,
      headerClaims: {},
      idempotency: null,
    };
    for (const [caller, issuer] of [
      [held, ordinary],
      [ordinary, held],
    ] as const) {
      const sender = senderOf(await read(caller.id), await read(issuer.id));
      const [verdict] = await sendMessages(server.app.services.sending, sender, [order]);
      expect(verdict).toMatchObject({ kind: 'refused', code: 'attachment_url_refused' });
    }
    expect(connections).toBe(0);
  });

  it.each([
    ['the hosts of the key were narrowed', "attachment_hosts = '{files.example.com}'"],
    ['the key was put into approval mode', "approval_mode = 'always'"],
    ['the key got a recipient allowlist', "recipient_allowlist = '{@example.com}'"],
  ])('are not sent when %s after they were fetched', { tags: ['holes.attachment-urls'] }, async (_what, change) => {
    const { sql } = server.database;
    const { id } = await newKey();
    const row = await findKeyById(sql, server.accountId, id);
    if (row === null) throw new Error(`no key ${id}`);
    await sql`UPDATE api_keys SET ${sql.unsafe(change)} WHERE id = ${id}`;
    const order = {
      request: sendRequestSchema.parse(email()),
      fixedChannel: null,
      headerClaims: {},
      idempotency: null,
    };
    const [verdict] = await sendMessages(server.app.services.sending, senderOf(toCaller(row)), [order]);
    expect(verdict).toMatchObject({ kind: 'refused', code: 'attachment_url_refused' });
  });

  it('name hosts that the key shows, changes and cannot widen beyond its creator', {
    tags: ['holes.attachment-urls'],
  }, async () => {
    const made = await newKey({ attachmentHosts: ['Files.Example.com', '*.bücher.example'], scopes: ['full'] });
    const shown = ['files.example.com', '*.xn--bcher-kva.example'];
    expect((await server.call('GET', `/keys/${made.id}`)).body.attachmentHosts).toEqual(shown);
    expect((await server.call('GET', '/keys/self', { key: made.key })).body.attachmentHosts).toEqual(shown);
    const tools = await connectTo(server, '', made.key);
    const context = await tools.call('get_sending_context');
    expect(context.text).toContain('Attachment URLs: files.example.com, *.xn--bcher-kva.example');
    expect(context.record.attachmentHosts).toEqual(shown);
    await tools.close();
    const body = { name: 'Child', scopes: ['emails:send'] };
    const wide = await server.call('POST', '/keys', { key: made.key, body });
    expectProblem(wide, 403, 'permission_escalation');
    expect(wide.body.detail).toContain('attachmentHosts');
    const child = { ...body, attachmentHosts: ['a.xn--bcher-kva.example'] };
    expect((await server.call('POST', '/keys', { key: made.key, body: child })).status).toBe(201);
    expect(
      (await server.call('POST', '/keys', { key: made.key, body: { ...body, approvalMode: 'always' } })).status,
    ).toBe(201);
    for (const attachmentHosts of [
      ['https://a.example'],
      ['a.*.example'],
      ['10.0.0.1'],
      ['*'],
      Array(51).fill('a.example'),
    ]) {
      const { status } = await server.call('PATCH', `/keys/${made.id}`, { body: { attachmentHosts } });
      expect([status, attachmentHosts[0]]).toEqual([422, attachmentHosts[0]]);
    }
    const opened = await server.call('PATCH', `/keys/${made.id}`, { body: { attachmentHosts: null } });
    expect(opened.body.attachmentHosts).toBeNull();
  });
});
