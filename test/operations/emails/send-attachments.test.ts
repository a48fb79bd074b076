import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeExpired } from '../../../packages/server/src/db/queries/maintenance.ts';
import { readCaptured } from '../../harness/captured-mail.ts';
import { startDnsServer, type TestDnsServer } from '../../harness/dns-server.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { type SmtpSink, startSmtpSink } from '../../harness/smtp-sink.ts';
import { startTestApp, type TestApp, type TestResponse } from '../../harness/test-app.ts';

const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');
const FILE = { filename: 'report.pdf', content: base64('%PDF') };

let files: Server;
let filesUrl: string;
let served = 0;
let server: TestApp;
let dns: TestDnsServer;

beforeAll(async () => {
  files = createServer((request, response) => {
    served += 1;
    if (request.url === '/missing') response.writeHead(404).end('nothing here');
    else if (request.url === '/moved') response.writeHead(302, { location: '/file' }).end();
    else response.end(`file of ${request.url}`);
  }).listen(0, '127.0.0.1');
  await once(files, 'listening');
  filesUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`; // A TCP server that listens has no other kind of address.
  dns = await startDnsServer();
  dns.set('files.test', 'A', '127.0.0.1');
  dns.set('inside.test', 'A', '10.0.0.7');
  server = await startTestApp({ dnsServers: [dns.address] });
});
afterAll(async () => {
  await server.close();
  await dns.close();
  files.close();
});

const sendFiles = (attachments: unknown, more: Readonly<Record<string, unknown>> = {}, app = server) =>
  app.send({ attachments, ...more });

/** The mail of a subject as an independent parser reads it. */
async function arrived(subject: string): Promise<Email> {
  const [mail] = await readCaptured(server, subject);
  if (mail === undefined) throw new Error(`nothing of the subject ${subject} arrived`);
  return mail.parsed;
}

const textOf = ({ content }: Email['attachments'][number]) =>
  Buffer.from(typeof content === 'string' ? content : new Uint8Array(content)).toString();

describe('files', () => {
  it('in base64 arrive unchanged, and are listed in the read', {
    tags: ['contract-sending.attachments', 'send-request.attachments', 'contract-messages.single-read-attachments'],
  }, async () => {
    const bytes = Uint8Array.from({ length: 3_000 }, (_, index) => (index * 31) % 256);
    const { status, body } = await sendFiles(
      [
        { filename: 'all bytes.bin', content: base64(bytes), content_type: 'application/x-own' },
        { filename: 'C:\\fakepath\\Grüße.txt', content: base64('Hallo\nWelt') },
      ],
      { subject: 'In base64' },
    );
    expect(status).toBe(202);
    expect((await server.settled(body.id)).body).toMatchObject({
      status: 'delivered',
      attachments: [
        { filename: 'all bytes.bin', contentType: 'application/x-own', size: 3_000 },
        { filename: 'Grüße.txt', contentType: 'text/plain', size: 10 },
      ],
    });
    const { attachments } = await arrived('In base64');
    expect(attachments.map(({ filename, mimeType, disposition }) => [filename, mimeType, disposition])).toEqual([
      ['all bytes.bin', 'application/x-own', 'attachment'],
      ['Grüße.txt', 'text/plain', 'attachment'],
    ]);
    expect(new Uint8Array((attachments[0]?.content as ArrayBuffer | undefined) ?? [])).toEqual(bytes); // Binary content is a buffer.
  });

  it('with a content id are inline, beside the HTML that shows them', {
    tags: ['contract-sending.attachments'],
  }, async () => {
    const logo = { filename: 'logo.png', content: base64('PNG'), content_id: 'logo' };
    const { body } = await sendFiles([logo, FILE], { subject: 'Inline', html: '<img src="cid:logo">' });
    await server.settled(body.id);
    const { attachments, html, text } = await arrived('Inline');
    expect([html?.trim(), text?.trim()]).toEqual(['<img src="cid:logo">', 'Hi there']);
    expect(attachments.map(({ disposition, contentId, related }) => [disposition, contentId, related])).toEqual([
      ['inline', '<logo>', true],
      ['attachment', undefined, undefined],
    ]);
  });

  it('named by URL are fetched before the response', { tags: ['contract-sending.attachment-url'] }, async () => {
    const before = served;
    const { status, body } = await sendFiles([{ filename: 'a.txt', url: `${filesUrl}/file` }], { subject: 'By URL' });
    expect([status, served]).toEqual([202, before + 1]);
    await server.settled(body.id);
    expect((await arrived('By URL')).attachments.map(textOf)).toEqual(['file of /file']);
  });

  it('whose URL is now dead do not fail a repeated request, which gets the first response', async () => {
    const passing = createServer((_, response) => response.end('once')).listen(0, '127.0.0.1');
    await once(passing, 'listening');
    const url = `http://127.0.0.1:${(passing.address() as AddressInfo).port}/a`; // As above.
    const options = { headers: { 'idempotency-key': 'a passing file' } };
    const first = await server.send({ attachments: [{ filename: 'a.txt', url }] }, options);
    passing.close();
    passing.closeAllConnections();
    const again = await server.send({ attachments: [{ filename: 'a.txt', url }] }, options);
    expect([first.status, again.status, again.body]).toEqual([202, 202, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('are hidden from a key that may not read content', async () => {
    const { body } = await sendFiles([FILE]);
    const key = await server.newKey({ scopes: ['emails:read'] });
    expect((await server.call('GET', `/emails/${body.id}`, { key })).body).toMatchObject({
      attachments: null,
      contentRedacted: true,
    });
  });

  it('may be an empty list', async () => {
    const { status, body } = await sendFiles([]);
    expect([status, (await server.settled(body.id)).body.attachments]).toEqual([202, []]);
  });

  it('are sent with a message that has separate deliveries for its recipients', async () => {
    const to = ['a@sandbox.test', 'b@sandbox.test'];
    const { body } = await sendFiles([FILE], { subject: 'Two ways', to });
    expect((await server.settled(body.id)).body.status).toBe('delivered');
    for (const { parsed } of await readCaptured(server, 'Two ways'))
      expect(parsed.attachments.map(textOf)).toEqual(['%PDF']);
  });
});

describe('the rules for files', () => {
  const expectRefused = (response: TestResponse, code: string, ...paths: string[]) => {
    expectProblem(response, 422, code);
    expect(response.body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect(response.body.retryable).toBe(code === 'attachment_fetch_failed');
  };

  it('reject more than twenty', { tags: ['contract-sending.attachment-limits', 'limits.attachments'] }, async () => {
    expect((await sendFiles(Array.from({ length: 20 }, () => FILE))).status).toBe(202);
    expectRefused(await sendFiles(Array.from({ length: 21 }, () => FILE)), 'attachment_too_many', 'attachments');
  });

  it('reject executable types', {
    tags: ['contract-sending.attachment-types', 'contract-errors.422-attachments'],
  }, async () => {
    for (const ending of ['exe', 'BAT', 'cmd', 'com', 'scr', 'js', 'vbs', 'msi', 'lnk', 'jar', 'pdf.exe', 'exe. ']) {
      const response = await sendFiles([FILE, { ...FILE, filename: `a.${ending}` }]);
      expectRefused(response, 'attachment_type_refused', 'attachments.1.filename');
    }
  });

  it('reject content that is not base64 or empty, or beside a URL', {
    tags: ['contract-errors.422-attachments'],
  }, async () => {
    for (const content of ['not base64!', 'QQ', '', 'data:text/plain;base64,QQ==']) {
      expectRefused(await sendFiles([{ ...FILE, content }]), 'attachment_invalid', 'attachments.0.content');
    }
    expectRefused(await sendFiles([{ ...FILE, url: filesUrl }]), 'attachment_invalid', 'attachments.0.url');
  });

  it('reject more than 25 MB of the whole encoded message, and accept just below', {
    tags: ['contract-sending.attachment-limits', 'contract-errors.422-attachments'],
    timeout: 120_000,
  }, async () => {
    const content = base64(Buffer.alloc(19_200_000, 1));
    expectRefused(await sendFiles([{ ...FILE, content }]), 'attachment_too_large', 'attachments');
    const accepted = await sendFiles([{ ...FILE, content: base64(Buffer.alloc(19_100_000, 1)) }]);
    expect(accepted.status).toBe(202);
    const { body } = await server.call('GET', `/emails/${accepted.body.id}?wait=60`);
    expect(body).toMatchObject({ status: 'delivered', attachments: [{ size: 19_100_000 }] });
  });

  it('reject a URL that is internal, is not https, or contains a password, without a request to it', {
    tags: ['contract-sending.attachment-url', 'contract-errors.422-attachments'],
  }, async () => {
    const before = served;
    const urls = [
      'https://10.0.0.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://[fd00::1]/',
      'http://inside.test/',
    ];
    const forms = [
      'ftp://example.com/a',
      'file:///etc/passwd',
      'https://user:pw@example.com/',
      'nonsense',
      'https://0/',
    ];
    for (const url of [...urls, ...forms, filesUrl.replace('http://', 'http://user:pw@')]) {
      expectRefused(await sendFiles([{ filename: 'a.txt', url }]), 'attachment_url_refused', 'attachments.0.url');
    }
    expect(served).toBe(before);
  });

  it('reject a URL whose host is dead or does not return the file', {
    tags: ['contract-errors.422-attachments'],
  }, async () => {
    for (const url of ['http://127.0.0.1:9/a', 'https://gone.test/a', `${filesUrl}/missing`, `${filesUrl}/moved`]) {
      expectRefused(await sendFiles([{ filename: 'a.txt', url }]), 'attachment_fetch_failed', 'attachments.0.url');
    }
  });

  it('reject invalid structure like that of any other field', async () => {
    expectInvalid(await sendFiles([{ filename: 'a.txt' }]), 'attachments.0.content');
    expectInvalid(await sendFiles([{ content: 'QQ==' }]), 'attachments.0.filename');
    expectInvalid(await sendFiles([{ ...FILE, filename: 'a\r\nb.txt' }]), 'attachments.0.filename');
    expectInvalid(await sendFiles([{ ...FILE, filename: 'a\u202etxt.exe' }]), 'attachments.0.filename');
    expectInvalid(await sendFiles([{ ...FILE, filename: '' }]), 'attachments.0.filename');
    expectInvalid(await sendFiles([{ ...FILE, path: '/etc/passwd' }]), 'attachments.0.path');
    expectInvalid(await sendFiles([{ ...FILE, content_type: 'text' }]), 'attachments.0.content_type');
    expectInvalid(
      await sendFiles([{ ...FILE, content_type: 'a/b; x="\r\nBcc: c@d.ef"' }]),
      'attachments.0.content_type',
    );
    expectInvalid(await sendFiles([{ ...FILE, content_id: '<logo>' }]), 'attachments.0.content_id');
    expectInvalid(await sendFiles([{ ...FILE, content_id: 'a\r\nb' }]), 'attachments.0.content_id');
    expectInvalid(await sendFiles(FILE), 'attachments');
  });

  it('apply in production too, where loopback addresses and http are denied', async () => {
    const production = await startTestApp({
      settings: { POSTRIDER_MODE: 'production' },
      dnsServers: [dns.address],
    });
    const before = served;
    for (const url of [
      `${filesUrl}/file`,
      filesUrl.replace('http:', 'https:'),
      'https://files.test/',
      'http://example.com/',
    ]) {
      const response = await sendFiles([{ filename: 'a.txt', url }], {}, production);
      expectRefused(response, 'attachment_url_refused', 'attachments.0.url');
    }
    expect(served).toBe(before);
    await production.close();
  });

  it('store nothing of a rejected send', async () => {
    const [before] = await server.database.sql`SELECT count(*)::int AS n FROM message_attachments`;
    await sendFiles([FILE, { ...FILE, filename: 'a.exe' }]);
    await sendFiles([FILE], { from: 'a@elsewhere.example' });
    const [after] = await server.database.sql`SELECT count(*)::int AS n FROM message_attachments`;
    expect(after).toEqual(before);
  });
});

describe('files in a batch', () => {
  it('are sent with their own item, and reject only that', {
    tags: ['contract-sending.attachment-batch'],
  }, async () => {
    const item = (subject: string, attachments: unknown) => ({
      from: 'a@sandbox.test',
      to: 'delivered@sandbox.test',
      subject,
      text: 'x',
      attachments,
    });
    const url = `${filesUrl}/shared`;
    const before = served;
    const { status, body } = await server.call('POST', '/emails/batch', {
      body: {
        emails: [
          item('First of batch', [{ filename: 'a.txt', url }]),
          item('Second of batch', [{ filename: 'a.exe', content: 'QQ==' }]),
          item('Third of batch', [{ filename: 'a.txt', url }, FILE]),
        ],
      },
    });
    expect(status).toBe(207);
    expect(body).toMatchObject({ accepted: 2, refused: 1 });
    expect(body.results[1]).toMatchObject({ ok: false, error: { code: 'attachment_type_refused' } });
    expect(served).toBe(before + 1);
    for (const index of [0, 2]) await server.settled(body.results[index].id);
    expect((await arrived('First of batch')).attachments.map(textOf)).toEqual(['file of /shared']);
    expect((await arrived('Third of batch')).attachments.map(textOf)).toEqual(['file of /shared', '%PDF']);
  });
});

describe('files of a message', () => {
  it('stay through retries, and each attempt sends them', async () => {
    let attempts = 0;
    const sink: SmtpSink = await startSmtpSink({
      replies: { message: () => (++attempts === 1 ? { code: 451, text: '4.3.0 Later' } : undefined) },
    });
    const relayed = await startTestApp({ settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` } });
    const content = base64(Buffer.alloc(2_000_000, 7));
    const { body } = await sendFiles([{ ...FILE, content }], { to: 'x@example.com' }, relayed);
    const statusNow = async () => (await relayed.call('GET', `/emails/${body.id}`)).body.status;
    await expect.poll(statusNow, { timeout: 20_000, interval: 20 }).toBe('deferred');
    relayed.clock.advance(60_000);
    await relayed.pump();
    const [mail] = await sink.waitFor(1);
    const { attachments } = await PostalMime.parse(mail?.raw ?? '');
    expect(attachments.map((file) => (file.content as ArrayBuffer).byteLength)).toEqual([2_000_000]);
    await relayed.close();
    await sink.close();
  });

  it('are removed with the body at its expiry, and not before', {
    tags: ['contract-message-log.retention-attachments'],
  }, async () => {
    const { body } = await sendFiles([FILE], { subject: 'To be forgotten' });
    await server.settled(body.id);
    const countFiles = async () => {
      const [row] = await server.database
        .sql`SELECT count(*)::int AS n FROM message_attachments WHERE message_id = ${body.id}`;
      return row?.['n'];
    };
    const long = new Date(server.clock.now().getTime() - 86_400_000);
    const limits = {
      requestsBefore: long,
      idempotencyBefore: long,
      capturedBefore: long,
      messagesBefore: long,
      openStatuses: [],
    };
    await purgeExpired(server.database.sql, { ...limits, bodiesBefore: long });
    expect(await countFiles()).toBe(1);
    const soon = new Date(server.clock.now().getTime() + 1_000);
    await purgeExpired(server.database.sql, { ...limits, bodiesBefore: soon });
    expect(await countFiles()).toBe(0);
    const read = (await server.call('GET', `/emails/${body.id}`)).body;
    expect(read).toMatchObject({
      bodyExpired: true,
      html: null,
      text: null,
      attachments: null,
      contentRedacted: false,
    });
  });
});
