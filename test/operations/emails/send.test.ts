import { decodeWords } from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startSmtpSink } from '../../harness/smtp-sink.ts';
import { DEFAULT_SEND, startTestApp, type TestApp } from '../../harness/test-app.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /emails', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  /** Sends and reads what became of it. */
  async function sendAndRead(body: Readonly<Record<string, unknown>>) {
    const sent = await server.send(body);
    expect(sent.status, JSON.stringify(sent.body)).toBe(202);
    return (await server.settled(sent.body.id)).body;
  }

  async function refusal(body: Readonly<Record<string, unknown>>) {
    return await server.call('POST', '/emails', { body: { ...DEFAULT_SEND, ...body } });
  }

  it('returns 202 with an id and `queued`, and delivers afterwards', {
    tags: [
      'emails-send.accepted',
      'send-response.id',
      'send-response.status',
      'service.sends',
      'service.outcome-by-reading',
    ],
  }, async () => {
    const sent = await server.send();
    expect(sent.status).toBe(202);
    expect(sent.body).toEqual({ id: expect.stringMatching(UUID_V7), status: 'queued' });
    const read = await server.settled(sent.body.id);
    expect(read.body.status).toBe('delivered');
    expect(read.body.events.map((event: { type: string }) => event.type)).toEqual(['queued', 'sent', 'delivered']);
  });

  it('is also POST /v1/emails', { tags: ['emails-send.paths', 'general.base-url'] }, async () => {
    const sent = await server.call('POST', '/v1/emails', { body: DEFAULT_SEND });
    expect([sent.status, sent.body.status]).toEqual([202, 'queued']);
    expect((await server.call('GET', `/emails/${sent.body.id}`)).status).toBe(200);
    expect((await server.call('GET', `/v1/emails/${sent.body.id}`)).body.id).toBe(sent.body.id);
  });

  it('accepts every field of the send request together, and reads return them', {
    tags: ['emails-send.request'],
  }, async () => {
    const read = await sendAndRead({
      from: 'Ada <Ada@Sandbox.test>',
      to: ['Delivered+One@sandbox.test', 'Two <delivered+two@sandbox.test>'],
      cc: 'delivered+three@sandbox.test',
      bcc: ['delivered+four@sandbox.test'],
      reply_to: 'Answers <answers@example.org>',
      subject: 'All fields',
      html: '<p>Hello</p>',
      text: 'Hello',
      tags: ['Welcome', 'b'],
      headers: { 'X-Team': 'core', 'List-Id': '<x.example.com>' },
      metadata: { order: '7' },
      channel: 'smtp',
      source: 'automation',
      agent_name: 'billing-bot',
    });
    expect(read).toMatchObject({
      from: 'Ada <Ada@Sandbox.test>',
      to: 'Delivered+One@sandbox.test, delivered+two@sandbox.test',
      cc: ['delivered+three@sandbox.test'],
      bcc: ['delivered+four@sandbox.test'],
      replyTo: 'Answers <answers@example.org>',
      subject: 'All fields',
      html: '<p>Hello</p>',
      text: 'Hello',
      tags: ['welcome', 'b'],
      headers: { 'X-Team': 'core', 'List-Id': '<x.example.com>' },
      metadata: { order: '7' },
      channel: 'smtp',
      source: 'automation',
      agentName: 'billing-bot',
      status: 'delivered',
    });
  });

  it('writes the requested fields into the sent message', {
    tags: [
      'send-request.subject',
      'send-request.html',
      'send-request.text',
      'send-request.reply-to',
      'contract-sending.headers',
    ],
  }, async () => {
    await sendAndRead({
      from: 'Ada Lovelace <ada@sandbox.test>',
      to: ['Ann <delivered@sandbox.test>', 'delivered+b@sandbox.test'],
      cc: 'delivered+cc@sandbox.test',
      reply_to: 'Answers <answers@example.org>',
      subject: 'On the wire: Zoë 😀',
      html: '<p>Grüße</p>',
      text: 'Grüße',
      headers: { 'X-Team': 'cöre', References: '<a@b.co>' },
    });
    const [mail] = await readCaptured(server, 'On the wire: Zoë 😀');
    expect(mail?.parsed).toMatchObject({
      from: { name: 'Ada Lovelace', address: 'ada@sandbox.test' },
      to: [{ name: 'Ann', address: 'delivered@sandbox.test' }, { address: 'delivered+b@sandbox.test' }],
      cc: [{ address: 'delivered+cc@sandbox.test' }],
      replyTo: [{ name: 'Answers', address: 'answers@example.org' }],
      subject: 'On the wire: Zoë 😀',
      html: expect.stringContaining('<p>Grüße</p>'),
      text: expect.stringContaining('Grüße'),
    });
    const headers = new Map(mail?.parsed.headers.map(({ key, value }) => [key, value]));
    expect(decodeWords(headers.get('x-team') ?? '')).toBe('cöre');
    expect(headers.get('references')).toBe('<a@b.co>');
    expect(headers.has('dkim-signature')).toBe(true);
  });

  it('needs from, to, subject and a body', {
    tags: ['send-request.required', 'contract-sending.required', 'contract-sending.subject-required'],
  }, async () => {
    for (const field of ['from', 'to', 'subject'])
      expectInvalid(await refusal({ [field]: undefined }), [field, 'required']);
    expectInvalid(await refusal({ text: undefined }), ['html', 'required']);
    expectInvalid(await refusal({ text: '' }), ['html', 'required']);
    expectInvalid(await refusal({ html: '', text: undefined }), 'html');
    for (const field of ['from', 'to', 'subject', 'text']) {
      expectInvalid(await refusal({ [field]: null }), [field, 'invalid_type']);
      expectInvalid(await refusal({ [field]: 5 }), [field, 'invalid_type']);
    }
  });

  it('accepts HTML, text or both', { tags: ['send-request.body-forms'] }, async () => {
    expect(await sendAndRead({ text: 'T' })).toMatchObject({ html: null, text: 'T' });
    expect(await sendAndRead({ html: '<p>H</p>', text: 'T' })).toMatchObject({ html: '<p>H</p>', text: 'T' });
    expect(await sendAndRead({ html: '<p>H</p>', text: undefined })).toMatchObject({ html: '<p>H</p>', text: 'H' });
  });

  it('derives the text from the HTML when it is missing', { tags: ['contract-sending.text-derived'] }, async () => {
    const html = '<style>p{}</style><h1>Hello &amp; welcome</h1><p>See <a href="https://example.com/x">this</a>.</p>';
    const read = await sendAndRead({ html, text: undefined, subject: 'Derived' });
    expect(read.text).toContain('Hello & welcome');
    expect(read.text).toContain('https://example.com/x');
    expect(read.text).not.toMatch(/<|style|p\{\}/);
    const [mail] = await readCaptured(server, 'Derived');
    expect(mail?.parsed.text).toContain('Hello & welcome');
    expect(mail?.raw).toContain('multipart/alternative');
  });

  it('derives none when the text is an empty string', { tags: ['contract-sending.text-empty'] }, async () => {
    expect(await sendAndRead({ html: '<p>H</p>', text: '', subject: 'Html alone' })).toMatchObject({ text: null });
    const [mail] = await readCaptured(server, 'Html alone');
    expect(mail?.raw).not.toContain('text/plain');
    expect(mail?.parsed.html).toContain('<p>H</p>');
  });

  it('accepts a subject of 998 characters and rejects 999', { tags: ['contract-sending.subject-length'] }, async () => {
    const read = await sendAndRead({ subject: 'x'.repeat(998) });
    expect(read.subject).toHaveLength(998);
    expectInvalid(await refusal({ subject: 'x'.repeat(999) }), ['subject', 'too_long']);
    expectInvalid(await refusal({ subject: '' }), ['subject', 'too_short']);
  });

  it('accepts HTML and text of 2 MB each and rejects a byte more', {
    tags: ['contract-sending.body-size'],
  }, async () => {
    const limit = 2_000_000;
    const both = await server.send({ html: 'h'.repeat(limit), text: 't'.repeat(limit) });
    expect(both.status).toBe(202);
    const wide = `${'ü'.repeat(limit / 2 - 1)}ab`;
    expect((await server.send({ text: wide })).status).toBe(202);
    for (const field of ['html', 'text']) {
      expectInvalid(await refusal({ [field]: 'x'.repeat(limit + 1) }), [field, 'too_long']);
      expectInvalid(await refusal({ [field]: `${wide}c` }), [field, 'too_long']);
    }
    const read = await server.settled(both.body.id);
    expect([read.body.status, read.body.html.length, read.body.text.length]).toEqual(['delivered', limit, limit]);
  });

  it.each(['\r', '\n', '\r\nBcc: x@example.com', '\u0000', '\u202e', '\u0085', '\u2028'])(
    'rejects %j in every value that becomes a header, and sends nothing',
    { tags: ['contract-sending.header-controls'] },
    async (bad) => {
      const values: readonly [string, unknown, string][] = [
        ['from', `A${bad} <a@sandbox.test>`, 'from'],
        ['to', `A${bad} <delivered@sandbox.test>`, 'to'],
        ['to', [`delivered@sandbox.test${bad}`], 'to.0'],
        ['cc', `A${bad} <delivered@sandbox.test>`, 'cc'],
        ['bcc', `delivered${bad}@sandbox.test`, 'bcc'],
        ['reply_to', `A${bad} <a@sandbox.test>`, 'reply_to'],
        ['subject', `A${bad}B`, 'subject'],
        ['headers', { 'X-A': `b${bad}c` }, 'headers.X-A'],
        ['headers', { [`X-A${bad}`]: 'b' }, `headers`],
        ['tags', [`a${bad}b`], 'tags.0'],
        ['agent_name', `a${bad}b`, 'agent_name'],
      ];
      for (const [field, value, path] of values) {
        const response = await refusal({ [field]: value });
        expectProblem(response, 422, 'validation_failed');
        expect(response.body.errors[0].path, field).toMatch(new RegExp(`^${path.replaceAll('.', '\\.')}`));
      }
    },
  );

  it.each([
    ...[
      'From',
      'To',
      'Cc',
      'Bcc',
      'Sender',
      'Date',
      'Subject',
      'Message-ID',
      'Content-Type',
      'Content-Transfer-Encoding',
    ],
    ...['Resent-To', 'Resent-Bcc', 'Resent-From', 'ARC-Seal', 'Received-SPF', 'Delivered-To', 'Apparently-To'],
    ...[
      'X-SMTPAPI',
      'X-MC-BccAddress',
      'X-MC-Template',
      'X-MSYS-API',
      'X-Mailgun-Recipient-Variables',
      'X-MJ-TemplateID',
    ],
    ...['Content-Anything', 'MIME-Version', 'DKIM-Signature', 'Return-Path', 'Received', 'Authentication-Results'],
  ])(
    'rejects the header %s, in any case',
    { tags: ['contract-sending.headers-refused', 'holes.reserved-headers'] },
    async (name) => {
      for (const written of [name, name.toLowerCase(), name.toUpperCase()]) {
        expectInvalid(await refusal({ headers: { [written]: 'x' } }), [`headers.${written}`, 'header_refused']);
      }
    },
  );

  it('rejects invalid header names, and one name in two cases', async () => {
    for (const name of ['', 'X A', 'X:A', 'X-Ä', 'X\tA', 'x'.repeat(77)]) {
      expectInvalid(await refusal({ headers: { [name]: 'x' } }), [`headers.${name}`, 'invalid_format']);
    }
    expect((await server.send({ headers: { ['x'.repeat(76)]: 'x' } })).status).toBe(202);
    expectInvalid(await refusal({ headers: { 'X-A': '1', 'x-a': '2' } }), ['headers.x-a', 'duplicate']);
    expectInvalid(await refusal({ headers: { 'X-A': 5 } }), 'headers.X-A');
    expectInvalid(await refusal({ headers: ['X-A: 1'] }), 'headers');
    expectInvalid(await refusal({ headers: { 'X-A': 'x'.repeat(999) } }), ['headers.X-A', 'too_long']);
    expectInvalid(await refusal({ headers: { 'Reply-To': 'a@b.co' }, reply_to: 'c@d.co' }), ['reply_to', 'conflict']);
  });

  it('keeps up to 20 values of metadata, strings only, and rejects the 21st', {
    tags: ['contract-sending.metadata'],
  }, async () => {
    const metadata = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, `${i}`]));
    expect((await sendAndRead({ metadata: metadata(20) })).metadata).toEqual(metadata(20));
    expect((await sendAndRead({ metadata: {} })).metadata).toEqual({});
    expectInvalid(await refusal({ metadata: metadata(21) }), ['metadata', 'too_many']);
    for (const value of [5, null, true, {}, ['x']]) {
      expectInvalid(await refusal({ metadata: { a: value } }), ['metadata.a', 'invalid_type']);
    }
    expectInvalid(await refusal({ metadata: { ['k'.repeat(65)]: 'v' } }), `metadata.${'k'.repeat(65)}`);
    expectInvalid(await refusal({ metadata: { k: 'v'.repeat(1_025) } }), ['metadata.k', 'too_long']);
  });

  it('converts tags to lower case, removes duplicates, and then counts at most ten', {
    tags: ['send-request.tags', 'limits.tags', 'contract-sending.tags', 'service.tags'],
  }, async () => {
    const tags = Array.from({ length: 10 }, (_, index) => `t${index}`);
    expect((await sendAndRead({ tags: [...tags, 'T0', 'T1', 't9'] })).tags).toEqual(tags);
    expectInvalid(await refusal({ tags: [...tags, 'T10'] }), ['tags', 'too_many']);
    expect((await sendAndRead({ tags: ['VIP', 'vip', 'Vip'] })).tags).toEqual(['vip']);
    expect((await sendAndRead({ tags: [] })).tags).toEqual([]);
  });

  it('accepts tags of 1 to 64 characters without comma, semicolon or control character', {
    tags: ['contract-sending.tags'],
  }, async () => {
    expect((await sendAndRead({ tags: ['a', 'x'.repeat(64), 'with space', 'ümläut', 'a:b/c#d'] })).tags).toHaveLength(
      5,
    );
    expectInvalid(await refusal({ tags: [''] }), ['tags.0', 'too_short']);
    expectInvalid(await refusal({ tags: ['x'.repeat(65)] }), ['tags.0', 'too_long']);
    for (const tag of ['a,b', 'a;b', 'a\tb', 'a\u007fb']) {
      expectInvalid(await refusal({ tags: ['ok', tag] }), ['tags.1', 'forbidden_character']);
    }
    expectInvalid(await refusal({ tags: 'one' }), ['tags', 'invalid_type']);
    expectInvalid(await refusal({ tags: [5] }), ['tags.0', 'invalid_type']);
  });

  it('rejects a missing scope first, then a wrong shape, then a broken rule', {
    tags: ['keys.check-order'],
  }, async () => {
    const reader = await server.newKey({ scopes: ['emails:read'] });
    const narrow = await server.newKey({ recipientAllowlist: [] });
    expectProblem(await server.call('POST', '/emails', { key: 'pr_live_x', rawBody: '{' }), 401, 'invalid_key');
    expectProblem(await server.call('POST', '/emails', { key: reader, rawBody: '{' }), 403, 'missing_scope');
    expectProblem(await server.call('POST', '/emails', { key: reader, body: { foo: 1 } }), 403, 'missing_scope');
    expectProblem(
      await server.send({ from: 'x@unverified.example', foo: 1 }, { key: narrow }),
      422,
      'validation_failed',
    );
    expectProblem(await server.send({ from: 'x@unverified.example' }, { key: narrow }), 403, 'domain_not_verified');
    expectProblem(await server.call('GET', '/emails/x?wait=0', { key: narrow }), 422, 'validation_failed');
    expectProblem(await server.call('GET', '/emails/x?wait=1', { key: narrow }), 404, 'not_found');
  });
});

describe('acceptance and delivery', () => {
  it('are separate: the response does not wait for the mail server, not even for one to exist', {
    tags: ['service.asynchronous', 'service.identifier'],
  }, async () => {
    const sink = await startSmtpSink({ replies: { message: () => 'stall' } });
    const settings = { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` };
    const server = await startTestApp({ settings });
    const sent = await server.send({ to: 'ann@example.com' });
    expect([sent.status, sent.body.status]).toEqual([202, 'queued']);
    await sink.close();
    expect((await server.send({ to: 'ann@example.com' })).status).toBe(202);
    await server.close();
  });

  it('are separate: a process without the role worker accepts, and another one delivers', {
    tags: ['service.background-worker', 'states.accepted', 'contract-settings.roles'],
  }, async () => {
    const api = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    const sent = await api.send();
    expect(sent.status).toBe(202);
    expect(api.app.engine).toBeNull();
    expect((await api.call('GET', `/emails/${sent.body.id}`)).body.status).toBe('queued');
    const worker = await startTestApp({ database: api.database, settings: { POSTRIDER_ROLES: 'worker' } });
    expect(worker.app.http).toBeNull();
    expect((await api.settled(sent.body.id)).body.status).toBe('delivered');
    await worker.close();
    await api.close();
  });
});
