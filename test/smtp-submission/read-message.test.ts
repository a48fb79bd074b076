import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { readAddressList } from '../../packages/server/src/smtp-submission/read-address-list.ts';
import { readContent } from '../../packages/server/src/smtp-submission/read-content.ts';
import { readMime } from '../../packages/server/src/smtp-submission/read-mime.ts';
import { readParameters } from '../../packages/server/src/smtp-submission/read-parameters.ts';
import { type SubmittedInput, toSendRequest } from '../../packages/server/src/smtp-submission/to-send-request.ts';
import { seededRandom } from '../harness/seeded-random.ts';

const ENVELOPE = ['ann@example.com'];

function message(...lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join('\r\n')}\r\n`);
}

const HEAD = ['From: Ada <ada@example.org>', 'To: ann@example.com', 'Subject: Hello'];

function requestOf(raw: Buffer, envelope: readonly string[] = ENVELOPE): SubmittedInput {
  return toSendRequest(raw, envelope).input;
}

describe('the content of a submitted message', () => {
  it('is the plain text without the line ending that the transfer needs', () => {
    expect(requestOf(message(...HEAD, '', 'Hi Ann', '', 'Ada'))).toMatchObject({ text: 'Hi Ann\n\nAda' });
    expect(requestOf(message(...HEAD, 'Content-Type: text/html', '', '<p>Hi</p>'))).toMatchObject({
      html: '<p>Hi</p>',
    });
  });

  it('is what nodemailer composed and an independent parser reads, over many messages', async () => {
    const seeded = seededRandom('submitted messages');
    const random = () => seeded.next();
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const words = ['lorem', 'Grüße', '日本語', '=?odd?=', '. dot', '=3D', 'long '.repeat(60), '\n', 'tab\there', '👋'];
    const text = () =>
      Array.from({ length: 1 + Math.floor(random() * 30) }, () => pick(words))
        .join(' ')
        .trim();
    for (let round = 0; round < 150; round += 1) {
      const files = Array.from({ length: Math.floor(random() * 3) }, (_, index) => ({
        filename: pick(['a.pdf', 'Übersicht März.pdf', 'a "quoted" name.txt', '長い名前'.repeat(12)]),
        content: Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256))),
        ...(random() < 0.3 ? { cid: `picture${index}@example.org` } : {}),
      }));
      const html = random() < 0.6 ? `<p>${text()}</p>` : undefined;
      const raw = await new MailComposer({
        from: { name: pick(['Ada', 'Jörg "J" Groß', 'Doe, Jane']), address: 'ada@example.org' },
        to: 'ann@example.com',
        subject: `A ${text()}`.replaceAll('\n', ' ').slice(0, 200),
        ...(html === undefined || random() < 0.7 ? { text: text() || 'x' } : {}),
        ...(html === undefined ? {} : { html }),
        attachments: files,
        textEncoding: pick(['quoted-printable', 'base64'] as const),
        newline: '\r\n',
      })
        .compile()
        .build();
      const input = requestOf(raw);
      const other = await PostalMime.parse(raw);
      const trimmed = (value: unknown) => (typeof value === 'string' ? value.trimEnd() : value);
      expect({ ...input, text: trimmed(input['text']), html: trimmed(input['html']) }).toMatchObject({
        subject: other.subject?.replaceAll('\t', ' '),
        ...(other.text === undefined || other.text.trim() === '' ? {} : { text: trimmed(other.text) }),
        ...(other.html === undefined ? {} : { html: trimmed(other.html) }),
      });
      const attachments = (input['attachments'] ?? []) as { filename: string; content: string; content_type: string }[];
      expect(attachments.map(({ filename, content_type }) => [filename, content_type])).toEqual(
        other.attachments.map(({ filename, mimeType }) => [filename, mimeType]),
      );
      expect(attachments.map(({ content }) => content)).toEqual(
        other.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString('base64')),
      );
    }
  });

  it('keeps the spaces at which a long subject was folded', async () => {
    for (const spaces of [1, 2, 3, 12]) {
      const subject = `${'word '.repeat(12)}end${' '.repeat(spaces)}${'more '.repeat(20)}end`;
      const raw = await new MailComposer({ from: 'ada@example.org', to: 'ann@example.com', subject, text: 'Hi' })
        .compile()
        .build();
      expect(requestOf(Buffer.from(raw.toString().replace(/\r?\n/g, '\r\n')))).toMatchObject({ subject });
    }
    expect(requestOf(message('Subject: A\r\n\tB\r\n  C', ...HEAD.slice(0, 2), '', 'Hi'))).toMatchObject({
      subject: 'A B  C',
    });
  });

  it('is read in its declared charset, and rejected when its bytes do not fit that', () => {
    const inLatin = (charset: string) =>
      Buffer.concat([
        message(...HEAD, `Content-Type: text/plain; charset=${charset}`, 'Content-Transfer-Encoding: 8bit', ''),
        Buffer.from('Gr\xfc\xdfe\r\n', 'latin1'),
      ]);
    expect(requestOf(inLatin('iso-8859-1'))).toMatchObject({ text: 'Grüße' });
    expect(() => requestOf(inLatin('utf-8'))).toThrow('not valid in its charset (utf-8)');
    expect(() => requestOf(inLatin('us-ascii'))).toThrow('not valid in its charset');
    expect(() => requestOf(inLatin('x-martian'))).toThrow('unknown charset "x-martian"');
  });

  it('must not hide NUL in an encoding', () => {
    const encoded = ['Content-Transfer-Encoding: quoted-printable', '', 'a=00b'];
    expect(() => requestOf(message(...HEAD, ...encoded))).toThrow('NUL');
  });

  it('keeps the first text and HTML as bodies, and every other part as a file', () => {
    const part = (type: string, body: string, ...more: string[]) => ['--x', `Content-Type: ${type}`, ...more, '', body];
    const raw = message(
      ...HEAD,
      'Content-Type: multipart/mixed; boundary=x',
      '',
      'preamble',
      ...part('text/plain', 'one'),
      ...part('text/html', '<p>one</p>'),
      ...part('text/plain', 'footer'),
      ...part('text/plain; name=notes.txt', 'notes'),
      ...part('text/calendar; method=REQUEST; charset=utf-8', 'BEGIN:VCALENDAR'),
      ...part('message/rfc822', 'Subject: inner'),
      '--x--',
      'epilogue',
    );
    const { text, html, files } = readContent(readMime(raw));
    expect([text, html]).toEqual(['one', '<p>one</p>']);
    expect(files.map(({ filename, contentType, content }) => [filename, contentType, content.toString()])).toEqual([
      ['attachment-1.txt', 'text/plain', 'footer'],
      ['notes.txt', 'text/plain', 'notes'],
      ['attachment-3.ics', 'text/calendar; charset=utf-8; method=REQUEST', 'BEGIN:VCALENDAR'],
      ['attachment-4.eml', 'message/rfc822', 'Subject: inner'],
    ]);
  });

  it('joins texts around a picture, as some mail programs write them', () => {
    const raw = message(
      ...HEAD,
      'Content-Type: multipart/mixed; boundary="a b"',
      '',
      ...['--a b', '', 'before', '--a b', 'Content-Type: image/png', 'Content-ID: <p@x>', '', 'png'],
      ...['--a b  ', '', 'behind', '--a b--'],
    );
    expect(readContent(readMime(raw))).toMatchObject({
      text: 'before\nbehind',
      html: null,
      files: [{ filename: 'attachment-1.png', contentId: 'p@x' }],
    });
  });

  it('shows a file within the HTML only when the HTML or the part says so', () => {
    const file = (id: string, ...more: string[]) => [
      ...['--x', 'Content-Type: image/gif; name=a.gif', `Content-ID: <${id}>`, ...more, '', 'gif'],
    ];
    const raw = message(
      ...HEAD,
      'Content-Type: multipart/related; boundary=x',
      '',
      ...['--x', 'Content-Type: text/html', '', '<img src="cid:shown@x">'],
      ...file('shown@x', 'Content-Disposition: attachment'),
      ...file('inline@x', 'Content-Disposition: inline'),
      ...file('other@x', 'Content-Disposition: attachment'),
      '--x--',
    );
    const { files } = readContent(readMime(raw));
    expect(files.map(({ contentId }) => contentId)).toEqual(['shown@x', 'inline@x', null]);
  });

  it('is rejected when composing it again would break its signature', () => {
    for (const type of ['multipart/signed; boundary=x', 'multipart/encrypted; boundary=x', 'application/pkcs7-mime']) {
      const raw = message(...HEAD, `Content-Type: ${type}`, '', '--x', '', 'Hi', '--x--');
      expect(() => requestOf(raw)).toThrow('break its signature');
    }
  });

  it('limits the headers of all its parts together', { tags: ['holes.hostile-work'] }, () => {
    const multipart = (headerOfPart: string, parts: number) =>
      message(
        ...HEAD,
        'Content-Type: multipart/mixed; boundary=x',
        '',
        ...Array(parts).fill(`--x\r\nContent-Type: application/pdf\r\n${headerOfPart}\r\nhi`),
        '--x--',
      );
    // Four fields of the message, and one beside these of each part.
    expect(() => readMime(multipart('X-A: b\r\n'.repeat(98), 20))).not.toThrow();
    expect(() => readMime(multipart('X-A: b\r\n'.repeat(99), 20))).toThrow('may have at most 2000 fields');
    expect(() => readMime(multipart(`X-A: ${'b'.repeat(25_000)}\r\n`, 20))).not.toThrow();
    expect(() => readMime(multipart(`X-A: ${'b'.repeat(27_000)}\r\n`, 20))).toThrow('at most 524288 bytes');
  });

  it('rejects a text that is far too long before it is decoded', () => {
    expect(() => requestOf(message(...HEAD, '', 'x'.repeat(8_000_001)))).toThrow('may have at most 2000000 bytes');
  });

  it('finds a delimiter at the start of a line only', () => {
    const raw = message(
      ...HEAD,
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      '',
      'one --x',
      '--xy',
      'two',
      '--x ',
      '',
      'three--x--',
      '--x--',
    );
    expect(readMime(raw).parts.map(({ body }) => body.toString())).toEqual(['one --x\r\n--xy\r\ntwo', 'three--x--']);
  });

  it('limits parts and nesting, and rejects impossible structures', () => {
    const nested = Array.from(
      { length: 30 },
      (_, depth) => `--b${depth}\r\nContent-Type: multipart/mixed; boundary=b${depth + 1}\r\n`,
    );
    const deep = message(
      ...HEAD,
      'Content-Type: multipart/mixed; boundary=b0',
      '',
      ...nested,
      '--b30',
      '',
      'x',
      '--b30--',
    );
    const many = message(
      ...HEAD,
      'Content-Type: multipart/mixed; boundary=x',
      '',
      ...Array(600).fill('--x\r\n\r\nhi'),
      '--x--',
    );
    for (const raw of [deep, many]) expect(() => requestOf(raw)).toThrow('too many parts');
    const broken: readonly (readonly [string, string])[] = [
      ['Content-Type: multipart/mixed', 'boundary'],
      ['Content-Type: multipart/mixed; boundary=zzz', 'none of the parts'],
      ['Content-Type: text', 'not a valid media type'],
      ['Content-Transfer-Encoding: x-uuencode', '"x-uuencode" is unknown'],
      ['Content-Type: text/plain\r\nContent-Type: text/html', 'must not be repeated'],
    ];
    for (const [header, reason] of broken) expect(() => requestOf(message(...HEAD, header, '', 'x'))).toThrow(reason);
  });
});

describe('the header of a submitted message', () => {
  const read = (headers: readonly string[], envelope?: readonly string[]) =>
    requestOf(message(...headers, '', 'Hi'), envelope);

  it('names the sender: one mailbox, which Sender may only repeat', () => {
    const froms: readonly (readonly [string, string])[] = [
      ['ada@example.org', 'ada@example.org'],
      ['Ada Lovelace <ada@example.org>', 'Ada Lovelace <ada@example.org>'],
      ['=?utf-8?q?J=C3=B6rg?= <j@example.org>', 'Jörg <j@example.org>'],
      ['"Doe, Jane" (home) <jane@Bücher.example>', '"Doe, Jane" <jane@xn--bcher-kva.example>'],
      ['=?utf-8?q?evil=40example=2Eorg=2C?= <good@example.org>', '"evil@example.org," <good@example.org>'],
    ];
    for (const [given, from] of froms) expect(read([`From: ${given}`, 'Subject: x']).from).toBe(from);
    for (const from of ['a@example.org, b@example.org', 'Team: a@example.org;', '<>', '"a b"@example.org', 'ada']) {
      expect(() => read([`From: ${from}`])).toThrow('exactly one address');
    }
    expect(() => read(['Subject: x'])).toThrow('is required');
    expect(() => read(['From: a@example.org', 'From: b@example.org'])).toThrow('must not be repeated');
    expect(read(['From: Ada <a@example.org>', 'Sender: A@example.org']).from).toBe('Ada <a@example.org>');
    expect(() => read(['From: a@example.org', 'Sender: b@example.org'])).toThrow('differs from');
  });

  it('sets how recipients are shown; the envelope alone sets who they are', () => {
    const headers = [
      'From: a@example.org',
      'To: Ann <ANN@example.com>, Team: bob@example.com;',
      'Cc: carl@example.com, x@y.z',
    ];
    const envelope = ['dora@example.com', 'ann@example.com', 'bob@example.com', 'carl@example.com'];
    expect(read(headers, envelope)).toMatchObject({
      to: ['Ann <ann@example.com>', 'bob@example.com'],
      cc: ['carl@example.com'],
      bcc: ['dora@example.com'],
    });
    expect(read(['From: a@example.org', 'To: undisclosed-recipients:;'], ['ann@example.com'])).toMatchObject({
      to: [],
      bcc: ['ann@example.com'],
    });
    expect(read(['From: a@example.org', 'Bcc: ann@example.com'])).toMatchObject({ to: [], bcc: ['ann@example.com'] });
  });

  it('forwards what the sender wrote, except generated fields and fields for this server', () => {
    const input = read([
      ...HEAD,
      ...['Date: Mon, 1 Jan 2001 00:00:00 +0000', 'Message-ID: <a@b>', 'MIME-Version: 1.0', 'Content-Language: de'],
      ...['Received: from x', 'Received: from y', 'Return-Path: <x@y.z>', 'DKIM-Signature: v=1', 'ARC-Seal: i=1'],
      ...[
        'Authentication-Results: x',
        'Resent-Bcc: secret@example.com',
        'Resent-To: secret@example.com',
        'Bcc: secret@example.com',
        'X-SMTPAPI: {"to":["secret@example.com"]}',
        'X-MC-BccAddress: secret@example.com',
      ],
      ...['X-Service-Agent: =?utf-8?q?N=C3=B6?=', 'X-Service-Source: system', 'X-Tag: A, b', 'x-tag: c'],
      ...['In-Reply-To: <c@d>', 'X-Long: one', '\ttwo', '  three', 'List-Id: =?utf-8?q?=C3=A4?= <l.example.org>'],
    ]);
    expect(input).toMatchObject({ agent_name: 'Nö', source: 'system', tags: ['A', 'b', 'c'] });
    expect(input['headers']).toEqual({
      'In-Reply-To': '<c@d>',
      'X-Long': 'one two  three',
      'List-Id': '=?utf-8?q?=C3=A4?= <l.example.org>',
    });
    expect(JSON.stringify(input)).not.toContain('secret');
  });

  it('keeps several addresses of Reply-To as a header, and one as the field', () => {
    expect(read([...HEAD, 'Reply-To: Bob <b@example.org>'])).toMatchObject({ reply_to: 'Bob <b@example.org>' });
    const several = read([...HEAD, 'Reply-To: b@example.org, c@example.org']);
    expect(several).toMatchObject({ headers: { 'Reply-To': 'b@example.org, c@example.org' } });
    expect(several).not.toHaveProperty('reply_to');
  });

  it('is rejected when it contradicts itself, or is invalid', () => {
    const wrong: readonly (readonly [string, string])[] = [
      ['Subject: again', 'must not be repeated'],
      ['X-Foo: 1\r\nx-foo: 2', 'must not be repeated'],
      ['__proto__: 1', 'cannot be used'],
      ['no header line', 'not a header'],
      ['To: "ann@example.com', 'are not closed'],
      ['Cc: ann@example.com (comment', 'are not closed'],
    ];
    for (const [line, reason] of wrong) expect(() => read([...HEAD, line])).toThrow(reason);
    const latin = Buffer.concat([Buffer.from('From: J\xf6rg <j@example.org>\r\n', 'latin1'), message('', 'Hi')]);
    expect(() => requestOf(latin)).toThrow('not UTF-8');
    expect(() => requestOf(message('just text'))).toThrow('not a header');
  });
});

describe('a list of addresses', () => {
  it('is split by its syntax, never within quotes, comments or encoded words', () => {
    const { mailboxes, others } = readAddressList(
      'To',
      '"a, b" <c@example.com>, d@example.com (x, <y@z.example>), =?utf-8?q?e=40x=2Ecom=2C?= <f@example.com>, ; , oops',
    );
    expect(mailboxes).toEqual([
      { name: 'a, b', address: 'c@example.com' },
      { name: null, address: 'd@example.com' },
      { name: 'e@x.com,', address: 'f@example.com' },
    ]);
    expect(others).toEqual(['oops']);
  });
});

describe('parameters of a header', () => {
  it('are read quoted, in parts and in other alphabets, and the first of a name counts', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['attachment; filename="a \\"b\\".txt"', 'a "b".txt'],
      ['attachment; filename=a.txt; filename=b.txt', 'a.txt'],
      ["attachment; filename*=utf-8''%e2%82%ac%20rates.txt", '€ rates.txt'],
      ["attachment; filename*=iso-8859-1'en'%A3%20rates.txt", '£ rates.txt'],
      ['attachment; filename*0="one "; filename*1=two.txt', 'one two.txt'],
      ["attachment; filename*1*=%C3%A9; filename*0*=utf-8''caf; filename*2=.txt", 'café.txt'],
      ['attachment; filename="=?utf-8?B?w7wudHh0?="', 'ü.txt'],
    ];
    for (const [given, filename] of cases) expect(readParameters(given).parameters.get('filename')).toBe(filename);
    expect(readParameters('Text/Plain (comment); charset=UTF-8').value).toBe('text/plain');
  });
});
