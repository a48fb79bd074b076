import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { LIMITS, sendRequestSchema } from '../../../packages/core/src/index.ts';
import { createDnsResolver } from '../../../packages/server/src/dns/create-dns-resolver.ts';
import { createOutboundClient } from '../../../packages/server/src/outbound/outbound-client.ts';
import { createHostResolver } from '../../../packages/server/src/outbound/resolve-host.ts';
import { createFileSource, type FileSourceOptions } from '../../../packages/server/src/sending/content/fetch-files.ts';
import { prepareAttachments } from '../../../packages/server/src/sending/content/prepare-attachments.ts';
import { useCleanUps } from '../../harness/clean-ups.ts';

const afterwards = useCleanUps();
const base64 = (text: string) => Buffer.from(text).toString('base64');
const FILE = { filename: 'a.txt', content: base64('hello') };

function sourceOf(options: Partial<FileSourceOptions> = {}, allowLoopback = true) {
  const client = createOutboundClient({
    allowLoopback,
    resolve: createHostResolver(createDnsResolver({ servers: null })),
    userAgent: 'test',
  });
  afterwards(() => client.close());
  return createFileSource({ client, ...options });
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server that listens has no other kind of address.
}

function messageOf(attachments: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) {
  const base = { from: 'a@example.com', to: 'b@example.com', subject: 'Files', text: 'Hi' };
  const request = sendRequestSchema.parse({ ...base, ...more, attachments });
  return { request, subject: 'Files', html: null, text: 'Hi' };
}

const ANY_HOST = { isDryRun: false, hosts: [null] };

const prepare = (attachments: readonly unknown[], files = sourceOf(), more = {}) =>
  prepareAttachments(messageOf(attachments, more), files, { ...ANY_HOST, isDryRun: 'dry_run' in more });

/** Codes with the paths they are at. */
async function faultsOf(attachments: readonly unknown[], files = sourceOf(), more = {}): Promise<unknown> {
  const { refusals } = await prepare(attachments, files, more);
  return refusals.map(({ code, errors = [] }) => {
    expect(errors.map((error) => error.code)).toEqual(errors.map(() => code));
    return [code, ...errors.map(({ path }) => path)];
  });
}

describe('the files of a send', () => {
  it('are decoded, named and typed, in order', { tags: ['contract-sending.attachments'] }, async () => {
    const url = await serve((_, response) => response.end('fetched'));
    const { attachments, refusals } = await prepare([
      FILE,
      { filename: '../logo.png', content: base64('png'), content_id: 'logo' },
      { filename: 'x.bin', url: `${url}/x`, content_type: 'application/x-own; a=1' },
      { filename: 'none', content: base64('?') },
    ]);
    expect(refusals).toEqual([]);
    expect(attachments).toEqual([
      { filename: 'a.txt', contentType: 'text/plain', contentId: null, content: Buffer.from('hello') },
      { filename: 'logo.png', contentType: 'image/png', contentId: 'logo', content: Buffer.from('png') },
      { filename: 'x.bin', contentType: 'application/x-own; a=1', contentId: null, content: Buffer.from('fetched') },
      { filename: 'none', contentType: 'application/octet-stream', contentId: null, content: Buffer.from('?') },
    ]);
  });

  it('cost nothing when there are none', async () => {
    expect(await prepare([])).toEqual({ attachments: [], refusals: [] });
  });

  it(`are at most ${LIMITS.attachmentsPerMessage}`, {
    tags: ['contract-sending.attachment-limits', 'limits.attachments'],
  }, async () => {
    expect(await faultsOf(Array.from({ length: 20 }, () => FILE))).toEqual([]);
    expect(await faultsOf(Array.from({ length: 21 }, () => FILE))).toEqual([['attachment_too_many', 'attachments']]);
  });

  it('are rejected for what they are, each code once with all its fields', {
    tags: ['contract-errors.422-attachments'],
  }, async () => {
    expect(
      await faultsOf([
        { filename: 'a.exe', content: base64('x') },
        { filename: 'a.txt', content: 'not base64!' },
        FILE,
        { filename: 'setup.MSI', content: base64('x') },
        { filename: 'b.txt', content: '' },
        { filename: '..', content: base64('x') },
        { filename: 'c.txt', content: base64('x'), content_type: 'multipart/mixed; boundary=x' },
      ]),
    ).toEqual([
      ['attachment_type_refused', 'attachments.0.filename', 'attachments.3.filename'],
      [
        'attachment_invalid',
        'attachments.5.filename',
        'attachments.6.content_type',
        'attachments.1.content',
        'attachments.4.content',
      ],
    ]);
  });

  it('have content or a URL, and a content id that no other file has', async () => {
    expect(await faultsOf([{ ...FILE, url: 'https://example.com/' }])).toEqual([
      ['attachment_invalid', 'attachments.0.url'],
    ]);
    const twice = [FILE, FILE].map((file) => ({ ...file, content_id: 'logo' }));
    expect(await faultsOf(twice)).toEqual([['attachment_invalid', 'attachments.1.content_id']]);
  });
});

describe('the size of a send', () => {
  const fileOf = (bytes: number) => ({ filename: 'a.bin', content: Buffer.alloc(bytes).toString('base64') });

  it('is at most 25 MB with everything in it, encoded', { tags: ['contract-sending.attachment-limits'] }, async () => {
    // 57 bytes become a line of 78.
    const largest = Math.floor((LIMITS.encodedMessageBytes / 78) * 57);
    expect(await faultsOf([fileOf(largest - 8_000)])).toEqual([]);
    expect(await faultsOf([fileOf(largest)])).toEqual([['attachment_too_large', 'attachments']]);
    const half = Math.floor(largest / 2);
    expect(await faultsOf([fileOf(half - 6_000), fileOf(half - 6_000)])).toEqual([]);
    expect(await faultsOf([fileOf(half), fileOf(half)])).toEqual([['attachment_too_large', 'attachments']]);
  });

  it('includes a file that is too large for it, once it is fetched', async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(26 * 1024 * 1024)));
    expect(await faultsOf([{ filename: 'a.bin', url }])).toEqual([['attachment_too_large', 'attachments.0.url']]);
  });
});

describe('a file by URL', () => {
  it('is rejected when the URL leads inside, and never requested', {
    tags: ['contract-sending.attachment-url'],
  }, async () => {
    let calls = 0;
    const url = await serve((_, response) => {
      calls += 1;
      response.end('inside');
    });
    const closed = sourceOf({}, false);
    const urls = [
      url,
      url.replace('http:', 'https:'),
      'https://localhost/',
      'https://10.0.0.1/',
      'https://u:p@example.com/',
      'ftp://x/',
      'x',
    ];
    for (const one of urls) {
      expect(await faultsOf([{ filename: 'a.txt', url: one }], closed), one).toEqual([
        ['attachment_url_refused', 'attachments.0.url'],
      ]);
    }
    expect(calls).toBe(0);
  });

  it.each([
    ['404', 404, {}],
    ['500', 500, {}],
    ['a redirect', 302, { location: 'https://example.com/' }],
    ['not modified', 304, {}],
    ['an encoding that was not requested', 200, { 'content-encoding': 'gzip' }],
  ])('fails when the response is %s', async (_, status, headers) => {
    const url = await serve((__, response) =>
      response.writeHead(status, headers).end(status === 304 ? undefined : 'x'),
    );
    expect(await faultsOf([{ filename: 'a.txt', url }])).toEqual([['attachment_fetch_failed', 'attachments.0.url']]);
  });

  it('fails when the host is dead, the response empty, or the time over', async () => {
    const empty = await serve((_, response) => response.end());
    const silent = await serve(() => undefined);
    for (const url of ['http://127.0.0.1:9/', empty]) {
      expect(await faultsOf([{ filename: 'a.txt', url }])).toEqual([['attachment_fetch_failed', 'attachments.0.url']]);
    }
    const hasty = sourceOf({ totalMs: 200 });
    const beganMs = performance.now();
    const files = Array.from({ length: 20 }, (_, index) => ({ filename: 'a.txt', url: `${silent}/${index}` }));
    expect(await faultsOf(files, hasty)).toEqual([
      ['attachment_fetch_failed', ...files.map((_, index) => `attachments.${index}.url`)],
    ]);
    // All of them share the time, started or not.
    expect(performance.now() - beganMs).toBeLessThan(1_500);
  });

  it('is fetched once, however often a call names it, and a few are fetched in parallel', async () => {
    const asked: string[] = [];
    let running = 0;
    let most = 0;
    const url = await serve((request, response) => {
      asked.push(request.url ?? '');
      running += 1;
      most = Math.max(most, running);
      setImmediate(() => {
        running -= 1;
        response.end(request.url);
      });
    });
    const session = sourceOf().open();
    const files = Array.from({ length: 20 }, (_, index) => ({ filename: 'a.txt', url: `${url}/${index}` }));
    const [first, second] = await Promise.all([
      prepareAttachments(messageOf(files), session, ANY_HOST),
      prepareAttachments(messageOf(files), session, ANY_HOST),
    ]);
    expect([first.refusals, second.refusals]).toEqual([[], []]);
    expect(first.attachments.map(({ content }) => String(content))).toEqual(files.map((_, index) => `/${index}`));
    expect(asked).toHaveLength(20);
    expect(most).toBeLessThanOrEqual(8);
    session.close();
  });

  it('is not fetched for a send that is already rejected, except for a dry run, which reports everything', async () => {
    let calls = 0;
    const url = await serve((_, response) => {
      calls += 1;
      response.writeHead(404).end();
    });
    const files = [
      { filename: 'a.exe', content: base64('x') },
      { filename: 'a.txt', url },
    ];
    expect(await faultsOf(files)).toEqual([['attachment_type_refused', 'attachments.0.filename']]);
    expect(calls).toBe(0);
    expect(await faultsOf(files, sourceOf(), { dry_run: true })).toEqual([
      ['attachment_type_refused', 'attachments.0.filename'],
    ]);
    expect(calls).toBe(0);
  });

  it('is not fetched in a dry run, which names what is wrong with its URL', {
    tags: ['holes.attachment-urls'],
  }, async () => {
    let calls = 0;
    const url = await serve((_, response) => {
      calls += 1;
      response.end('fetched');
    });
    const { attachments, refusals } = await prepare([{ filename: 'a.pdf', url }], sourceOf(), { dry_run: true });
    expect(refusals).toEqual([]);
    expect(attachments).toMatchObject([{ filename: 'a.pdf', contentType: 'application/pdf', isUnfetched: true }]);
    const strange = [{ filename: 'a.pdf', url: 'ftp://example.com/a' }];
    expect(await faultsOf(strange, sourceOf(), { dry_run: true })).toEqual([
      ['attachment_url_refused', 'attachments.0.url'],
    ]);
    expect(calls).toBe(0);
  });
});

describe('the memory for fetched files', () => {
  const files = (url: string) => ['a', 'b', 'c'].map((name) => ({ filename: `${name}.bin`, url: `${url}/${name}` }));

  it('of a call is limited, whatever the size of its sends', async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(400_000)));
    const { refusals } = await prepare(files(url), sourceOf({ maxCallBytes: 1_000_000 }));
    expect(refusals).toMatchObject([
      { code: 'attachment_too_large', detail: expect.stringContaining('other files that this call has fetched') },
    ]);
  });

  it('of the process is released when a call is over, and a lack of it passes', async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(400_000)));
    const source = sourceOf({ maxHeldBytes: 1_300_000 });
    const holding = source.open();
    expect((await prepareAttachments(messageOf(files(url)), holding, ANY_HOST)).refusals).toEqual([]);
    const { refusals } = await prepare(files(url), source);
    expect(refusals).toMatchObject([
      { code: 'attachment_fetch_failed', detail: expect.stringContaining('at the moment') },
    ]);
    holding.close();
    expect((await prepare(files(url), source)).refusals).toEqual([]);
  });
});
