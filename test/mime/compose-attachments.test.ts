import { createPrivateKey } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import MailComposer from 'nodemailer/lib/mail-composer';
import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { sendRequestSchema } from '../../packages/core/src/index.ts';
import {
  type Attachment,
  composeMime,
  joinMessage,
  type MimeMessage,
} from '../../packages/server/src/mime/compose-mime.ts';
import { signDkim } from '../../packages/server/src/mime/dkim-sign.ts';
import { encodedSize } from '../../packages/server/src/sending/content/encoded-size.ts';
import { dkimRecordValue, generateDkimKey } from '../../packages/server/src/sending-domains/dkim-key.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { generateAttachments } from './generated-attachments.ts';
import { generateMessage } from './generated-messages.ts';

const MESSAGE: MimeMessage = {
  messageId: '0190-abc@example.com',
  date: new Date('2025-11-24T16:00:00Z'),
  from: { name: 'Shop', address: 'shop@example.com' },
  to: [{ name: null, address: 'jane@example.org' }],
  cc: [],
  replyTo: [],
  subject: 'Your order',
  text: 'Hello',
  html: '<img src="cid:logo">',
  headers: [],
  boundarySeed: '0190-abc',
};

const FILE: Attachment = {
  filename: 'a.pdf',
  contentType: 'application/pdf',
  contentId: null,
  content: Buffer.from('%PDF-1.7 …'),
};
const LOGO: Attachment = {
  filename: 'logo.png',
  contentType: 'image/png',
  contentId: 'logo',
  content: Buffer.from('PNG'),
};

const compose = (fields: Partial<MimeMessage>) =>
  joinMessage(composeMime({ ...MESSAGE, ...fields }), []).toString('latin1');

/** The types of a message's parts as they nest. */
function treeOf(part: string): unknown {
  const header = part.slice(0, part.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  const type = /^Content-Type: ([^;\r]+)/im.exec(header)?.[1];
  const boundary = /boundary="([^"]+)"/.exec(header)?.[1];
  if (boundary === undefined) return type;
  const parts = part.slice(part.indexOf('\r\n\r\n')).split(`\r\n--${boundary}`).slice(1, -1);
  return [type, ...parts.map((inner) => treeOf(inner.slice(2)))];
}

describe('the parts of a message with files', () => {
  const both = ['multipart/alternative', 'text/plain', 'text/html'];

  it.each<[string, Partial<MimeMessage>, unknown]>([
    ['text and a file', { html: null, attachments: [FILE] }, ['multipart/mixed', 'text/plain', 'application/pdf']],
    ['html and a file', { text: null, attachments: [FILE] }, ['multipart/mixed', 'text/html', 'application/pdf']],
    ['both and a file', { attachments: [FILE] }, ['multipart/mixed', both, 'application/pdf']],
    ['both and an image', { attachments: [LOGO] }, ['multipart/related', both, 'image/png']],
    ['html and an image', { text: null, attachments: [LOGO] }, ['multipart/related', 'text/html', 'image/png']],
    [
      'both, an image and a file',
      { attachments: [FILE, LOGO] },
      ['multipart/mixed', ['multipart/related', both, 'image/png'], 'application/pdf'],
    ],
    [
      'html, an image and a file',
      { text: null, attachments: [LOGO, FILE] },
      ['multipart/mixed', ['multipart/related', 'text/html', 'image/png'], 'application/pdf'],
    ],
    ['text and an image', { html: null, attachments: [LOGO] }, ['multipart/mixed', 'text/plain', 'image/png']],
    [
      'nothing but a file',
      { html: null, text: '', attachments: [FILE] },
      ['multipart/mixed', 'text/plain', 'application/pdf'],
    ],
  ])('are right for %s', (_, fields, tree) => {
    expect(treeOf(compose(fields))).toEqual(tree);
  });

  it('name the root of the related parts (RFC 2387)', () => {
    expect(compose({ attachments: [LOGO] })).toContain(
      'Content-Type: multipart/related; type="multipart/alternative";\r\n boundary=',
    );
    expect(compose({ text: null, attachments: [LOGO] })).toContain(
      'multipart/related; type="text/html";\r\n boundary=',
    );
  });

  it('have a content id in angle brackets if they have one', () => {
    const message = compose({ attachments: [LOGO, FILE] });
    expect(message.match(/^Content-ID: .*$/gm)).toEqual(['Content-ID: <logo>']);
    expect(message.match(/^Content-Disposition: \w+/gm)).toEqual([
      'Content-Disposition: inline',
      'Content-Disposition: attachment',
    ]);
  });

  it('contain base64 in lines of 76', () => {
    const body = compose({ html: null, attachments: [{ ...FILE, content: Buffer.alloc(1_000, 0xab) }] });
    const lines = body.split('\r\n').filter((line) => /^q6ur/.test(line));
    expect(lines.slice(0, -1).map((line) => line.length)).toEqual(lines.slice(1).map(() => 76));
    expect(lines.join('')).toBe(Buffer.alloc(1_000, 0xab).toString('base64'));
  });

  it('keep a clean message unencoded, and encode any other as a file (RFC 2046 §5.2.1)', () => {
    const inner = 'Subject: x\r\n\r\nbody\r\n';
    const clean = compose({
      html: null,
      attachments: [{ ...FILE, contentType: 'message/rfc822', content: Buffer.from(inner) }],
    });
    expect(clean).toContain(
      `Content-Transfer-Encoding: 7bit\r\nContent-Disposition: attachment;\r\n filename="a.pdf"\r\n\r\n${inner}\r\n--`,
    );
    for (const content of [
      'Subject: x\n\nbody',
      'Subject: ü\r\n\r\n',
      `${'x'.repeat(999)}\r\n`,
      'x\0\r\n',
      'a\r\r\n',
      'no end',
    ]) {
      const unclean = compose({
        html: null,
        attachments: [{ ...FILE, contentType: 'message/rfc822', content: Buffer.from(content) }],
      });
      expect(unclean, JSON.stringify(content)).toContain('Content-Type: application/octet-stream;');
    }
  });

  it('never contain a boundary, even in a message by someone who knows the seed', () => {
    const first = /mixed; boundary="([^"]+)"/.exec(compose({ html: null, attachments: [FILE] }))?.[1];
    const content = Buffer.from(`\r\n--${first}\r\nContent-Type: text/html\r\n\r\nforged\r\n--${first}--\r\n`);
    const message = compose({ html: null, attachments: [{ ...FILE, contentType: 'message/rfc822', content }] });
    expect(/mixed; boundary="([^"]+)"/.exec(message)?.[1]).not.toBe(first);
  });
});

describe('the name of a file', () => {
  const headerOf = (filename: string) => {
    const message = compose({ html: null, attachments: [{ ...FILE, filename }] });
    return message.slice(message.indexOf('Content-Type: application/pdf'), message.lastIndexOf('\r\n\r\n'));
  };

  it('is plain in type and disposition when it is ASCII', () => {
    expect(headerOf('my report.pdf')).toBe(
      'Content-Type: application/pdf;\r\n name="my report.pdf"\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment;\r\n filename="my report.pdf"',
    );
  });

  it('is in RFC 2231 and in RFC 2047 form when it is not, for readers of either', () => {
    expect(headerOf('Grüße.pdf')).toBe(
      'Content-Type: application/pdf;\r\n name="=?utf-8?B?R3LDvMOfZS5wZGY=?="\r\nContent-Transfer-Encoding: base64\r\n' +
        "Content-Disposition: attachment;\r\n filename*=utf-8''Gr%C3%BC%C3%9Fe.pdf",
    );
    const long = headerOf(`${'注文'.repeat(30)}.pdf`);
    expect(long).toMatch(/ filename\*0\*=utf-8''%E6\S+;\r\n filename\*1\*=%\S+;\r\n/);
    expect(Math.max(...long.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
  });

  it('is the only name: the parameters of the type could contradict it', () => {
    for (const contentType of [
      'a/b; name=evil.exe',
      'a/b; NAME="evil.exe"; x=1',
      "a/b; name*=utf-8''evil.exe",
      'a/b; name*0="ev"; name*1="il.exe"',
    ]) {
      const message = compose({ html: null, attachments: [{ ...FILE, contentType }] });
      expect(message, contentType).not.toMatch(/evil|"il/);
      expect(message).toContain('name="a.pdf"');
    }
  });
});

describe('generated messages with files', () => {
  const random = seededRandom('generated attachments');
  const messages = Array.from({ length: 250 }, () => ({
    ...generateMessage(random),
    attachments: generateAttachments(random),
  }));
  const label = (index: number) => `message ${index} of POSTRIDER_TEST_SEED=${random.seed}`;

  it('keep the limits of SMTP: ASCII, CRLF only, lines of 998', () => {
    for (const [index, message] of messages.entries()) {
      const { header, body } = composeMime(message);
      const whole = `${header}\r\n${body}`;
      expect([Buffer.byteLength(whole), whole.includes('\0')], label(index)).toEqual([whole.length, false]);
      expect(/\r(?!\n)|(?<!\r)\n/.test(whole), label(index)).toBe(false);
      expect(Math.max(...whole.split('\r\n').map((line) => line.length)), label(index)).toBeLessThanOrEqual(998);
    }
  });

  it('are read by an independent parser as they were passed, byte for byte', async () => {
    for (const [index, message] of messages.entries()) {
      const parsed = await PostalMime.parse(joinMessage(composeMime(message), []));
      expect(filesOf(parsed), label(index)).toEqual(expectedFiles(message));
    }
  }, 60_000);

  it('are read like those of an independent composer', async () => {
    for (const [index, message] of messages.slice(0, 150).entries()) {
      // The other composer escapes quotes and reads encoded words in names, in its own way.
      const attachments = message.attachments
        .filter(({ contentType }) => !contentType.startsWith('message/'))
        .map((file) => ({
          ...file,
          filename: file.filename.replaceAll('"', '').replaceAll('=?', ''),
          contentType: file.contentType.split(';')[0] ?? '',
        }));
      const plain = { ...MESSAGE, attachments };
      const ours = await PostalMime.parse(joinMessage(composeMime(plain), []));
      const theirs = await PostalMime.parse(await composeElsewhere(plain));
      const withoutDisposition = (files: readonly FileRead[]) => files.map(({ disposition: _, ...file }) => file);
      expect(withoutDisposition(filesOf(ours)), label(index)).toEqual(withoutDisposition(filesOf(theirs)));
      expect([ours.text?.trimEnd(), ours.html?.trimEnd()]).toEqual([theirs.text?.trimEnd(), theirs.html?.trimEnd()]);
    }
  }, 60_000);

  it('have a signature that an independent verifier accepts', async () => {
    const { privateKeyPem, publicKeyBase64 } = await generateDkimKey();
    const key = {
      domain: 'example.com',
      selector: 's',
      privateKey: createPrivateKey(privateKeyPem),
      algorithm: 'rsa-sha256',
    } as const;
    const record = dkimRecordValue(publicKeyBase64).match(/.{1,255}/g) ?? [];
    for (const [index, message] of messages.entries()) {
      const composed = composeMime({ ...message, from: MESSAGE.from });
      const signed = joinMessage(composed, [await signDkim(composed, key, { signedAt: MESSAGE.date })]);
      const { results } = await dkimVerify(signed, {
        resolver: async () => [record],
        strict: true,
        curTime: MESSAGE.date,
      });
      expect(
        results.map(({ status }) => status.result),
        label(index),
      ).toEqual(['pass']);
    }
  }, 60_000);

  it('are never larger than the size counted at acceptance, and little smaller with files', () => {
    for (const [index, message] of messages.entries()) {
      const { subject, html, text, attachments, headers } = message;
      const request = sendRequestSchema.parse({
        from: 'shop@example.com',
        to: 'a@example.com',
        subject: 'x',
        text: 'x',
      });
      const counted = encodedSize(
        { request: { ...request, headers: Object.fromEntries(headers) }, subject, html, text },
        attachments,
      );
      const composed = composeMime({ ...message, from: MESSAGE.from, to: MESSAGE.to, cc: [], replyTo: [] });
      expect(composed.header.length + composed.body.length, label(index)).toBeLessThanOrEqual(counted);
    }
    const content = Buffer.alloc(5_000_000);
    const { header, body } = composeMime({ ...MESSAGE, attachments: [{ ...FILE, content }] });
    const request = sendRequestSchema.parse({ from: 'shop@example.com', to: 'a@example.com', subject: 'x', text: 'x' });
    const counted = encodedSize({ request, subject: 'x', html: MESSAGE.html, text: MESSAGE.text }, [
      { ...FILE, content },
    ]);
    expect(counted - header.length - body.length).toBeLessThan(8_192);
  });
});

interface FileRead {
  readonly filename: string | null;
  readonly type: string;
  readonly disposition: string | null;
  readonly contentId: string | undefined;
  readonly content: string;
}

function filesOf(parsed: Email): FileRead[] {
  return parsed.attachments
    .map(({ filename, mimeType, disposition, contentId, content }) => ({
      filename,
      type: mimeType,
      disposition,
      contentId,
      content: contentOf(mimeType, Buffer.from(typeof content === 'string' ? content : new Uint8Array(content))),
    }))
    .sort(byContent);
}

/** The parser normalizes the line endings of these two, whatever their encoding. */
function contentOf(type: string, content: Buffer): string {
  const isRewritten = type === 'text/calendar' || type === 'message/rfc822';
  return isRewritten ? String(content).replaceAll('\r\n', '\n').trimEnd() : content.toString('hex');
}

/** Files that the html shows come first on the wire. */
function byContent(one: FileRead, other: FileRead): number {
  const keyOf = ({ content, filename, contentId }: FileRead) => `${content} ${filename} ${contentId}`;
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

function expectedFiles({ attachments }: { readonly attachments: readonly Attachment[] }): FileRead[] {
  return attachments
    .map(({ filename, contentType, contentId, content }) => {
      const type = contentType.split(';')[0] ?? '';
      const isUnclean = type === 'message/rfc822' && !String(content).includes('\r\n');
      const isInline = contentId !== null && !/^(?:text\/(?:plain|html)|message\/)/.test(type);
      return {
        // The parser looks for encoded words in whatever a name was decoded to.
        filename: decodeWords(filename),
        type: isUnclean ? 'application/octet-stream' : type,
        disposition: isInline ? 'inline' : 'attachment',
        contentId: contentId === null ? undefined : `<${contentId}>`,
        content: contentOf(isUnclean ? 'application/octet-stream' : type, Buffer.from(content)),
      };
    })
    .sort(byContent);
}

function composeElsewhere({ text, html, attachments = [] }: MimeMessage): Promise<Buffer> {
  const composer = new MailComposer({
    from: 'shop@example.com',
    to: 'jane@example.org',
    subject: 'Your order',
    ...(text === null ? {} : { text }),
    ...(html === null ? {} : { html }),
    attachments: attachments.map(({ filename, contentType, contentId, content }) => ({
      filename,
      contentType,
      content: Buffer.from(content),
      ...(contentId === null ? {} : { cid: contentId }),
    })),
  });
  return composer.compile().build();
}
