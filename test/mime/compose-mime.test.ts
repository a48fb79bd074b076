import MailComposer from 'nodemailer/lib/mail-composer';
import PostalMime, { type Address, decodeWords, type Email } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import {
  composeMime,
  joinMessage,
  type Mailbox,
  type MimeMessage,
} from '../../packages/server/src/mime/compose-mime.ts';
import { HeaderRefusedError } from '../../packages/server/src/mime/mime-header.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { generateMessage } from './generated-messages.ts';

const MESSAGE: MimeMessage = {
  messageId: '0190-abc@mail.example.com',
  date: new Date('2025-11-24T16:00:00.900Z'),
  from: { name: 'Shop', address: 'shop@example.com' },
  to: [{ name: null, address: 'jane@example.org' }],
  cc: [],
  replyTo: [],
  subject: 'Your order',
  text: null,
  html: null,
  headers: [],
  boundarySeed: '0190-abc',
};

function compose(fields: Partial<MimeMessage>): string {
  return joinMessage(composeMime({ ...MESSAGE, ...fields }), []).toString('latin1');
}

function headerOf(fields: Partial<MimeMessage>): string {
  return composeMime({ ...MESSAGE, text: 'x', ...fields }).header;
}

describe('the structure of a message', () => {
  it('is text/plain for text alone, with the headers of RFC 5322 in order', () => {
    expect(compose({ text: 'Hello\nthere' })).toBe(
      [
        'From: Shop <shop@example.com>',
        'To: jane@example.org',
        'Subject: Your order',
        'Date: Mon, 24 Nov 2025 16:00:00 +0000',
        'Message-ID: <0190-abc@mail.example.com>',
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 7bit',
        '',
        'Hello',
        'there',
        '',
      ].join('\r\n'),
    );
  });

  it('is text/html for HTML alone', () => {
    expect(compose({ html: '<p>Hello</p>' })).toContain('\r\nContent-Type: text/html; charset=utf-8\r\n');
  });

  it('is multipart/alternative with the text first for both', () => {
    const message = compose({ text: 'Hello', html: '<p>Hello</p>\n' });
    const boundary = /boundary="([^"]+)"/.exec(message)?.[1];
    expect(message).toContain(`\r\nContent-Type: multipart/alternative; boundary="${boundary}"\r\n\r\n`);
    expect(message.split(`--${boundary}`).slice(1)).toEqual([
      '\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\nHello\r\n',
      '\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n<p>Hello</p>\r\n\r\n',
      '--\r\n',
    ]);
  });

  it('ignores an empty text or HTML beside the other', () => {
    expect(compose({ text: '', html: '<p>x</p>' })).toBe(compose({ text: null, html: '<p>x</p>' }));
    expect(compose({ text: 'x', html: '' })).toBe(compose({ text: 'x', html: null }));
  });

  it('ends with the header when there is no body', () => {
    expect(compose({}).endsWith('\r\n\r\n')).toBe(true);
    expect(compose({})).toBe(compose({ text: '' }));
  });

  it('puts signature headers in front', () => {
    const composed = composeMime({ ...MESSAGE, text: 'x' });
    const joined = joinMessage(composed, ['A: 1\r\n', 'B: 2\r\n']).toString('latin1');
    expect(joined).toBe(`A: 1\r\nB: 2\r\n${composed.header}\r\n${composed.body}`);
  });

  it('names the empty group when every recipient is a bcc recipient', () => {
    expect(headerOf({ to: [] })).toContain('\r\nTo: undisclosed-recipients:;\r\n');
    expect(headerOf({ to: [], cc: MESSAGE.to })).not.toMatch(/^To:/m);
  });

  it('never lets a part contain the boundary, even one written by someone who knows the seed', () => {
    const text = 'Hello';
    const first = /boundary="([^"]+)"/.exec(compose({ text, html: 'x' }))?.[1];
    const message = compose({ text: `--${first}\nContent-Type: text/html\n\nforged\n--${first}--`, html: 'x' });
    const second = /boundary="([^"]+)"/.exec(message)?.[1];
    expect(second).not.toBe(first);
    expect(message.split(`--${second}`)).toHaveLength(4);
  });
});

describe('the encoding of a body', () => {
  const encodingOf = (text: string) => /Content-Transfer-Encoding: (\S+)/.exec(compose({ text }))?.[1];
  const bodyOf = (text: string) => composeMime({ ...MESSAGE, text }).body;

  it('is 7bit for ASCII up to 998 bytes a line, with any line endings', () => {
    expect(encodingOf('x'.repeat(998))).toBe('7bit');
    expect(encodingOf(`${'x'.repeat(998)}\r\n${'y'.repeat(998)}\n${'z'.repeat(998)}\r${'z'.repeat(998)}`)).toBe('7bit');
  });

  it.each(['\n', '\r\n', '\r', ''])('is quoted-printable for an ASCII line of 999 bytes before %j', (lineEnd) => {
    expect(encodingOf(`${'x'.repeat(999)}${lineEnd}`)).toBe('quoted-printable');
  });

  it('is the smaller of quoted-printable and base64 for anything else', () => {
    expect(encodingOf('Grüße aus der Stadt, in der wir wohnen')).toBe('quoted-printable');
    expect(encodingOf('注文が発送されました')).toBe('base64');
    expect(encodingOf('NUL \0 in a long enough text')).toBe('quoted-printable');
  });

  it('converts every mix of CR and LF to CRLF', () => {
    expect(bodyOf('a\nb\rc\r\nd\n\re')).toBe('a\r\nb\r\nc\r\nd\r\n\r\ne\r\n');
    expect(bodyOf('ä\nb\rc\r\nd and some more')).toBe('=C3=A4\r\nb\r\nc\r\nd and some more\r\n');
  });

  it('keeps quoted-printable lines within 76 and encodes blanks at their ends', () => {
    for (let length = 60; length < 90; length++) {
      for (const blank of [' ', '\t']) {
        const text = `é${'e'.repeat(length)}${blank}\n${'e'.repeat(length)}é and a last line${blank}`;
        const lines = bodyOf(text).split('\r\n');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76);
        expect(lines.filter((line) => /[ \t]$/.test(line))).toEqual([]);
      }
    }
  });
});

describe('header values', () => {
  it('fold at 78 before blanks and never leave a blank line', () => {
    const subject = Array.from({ length: 60 }, (_, index) => 'word'.repeat(index % 7) + ' '.repeat(index % 5)).join(
      ' ',
    );
    const [field = ''] = /^Subject:.*(?:\r\n[ \t].*)*/m.exec(headerOf({ subject })) ?? [];
    const lines = field.split('\r\n');
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(78);
      expect(line.trim()).not.toBe('');
    }
    expect(lines.join('')).toBe(`Subject: ${subject.trim()}`);
  });

  it('are encoded in words of at most 75 characters that each contain whole characters', () => {
    for (const subject of ['😀'.repeat(100), 'ä'.repeat(300), `x${'語'.repeat(150)}`, `${'ab '.repeat(40)}é`]) {
      const words = headerOf({ subject }).match(/=\?utf-8\?[QB]\?[^?]*\?=/g) ?? [];
      expect(words.length).toBeGreaterThan(1);
      expect(Math.max(...words.map((word) => word.length))).toBeLessThanOrEqual(75);
      expect(words.filter((word) => /[ \t]/.test(word))).toEqual([]);
      expect(words.map((word) => decodeWords(word)).join('')).toBe(subject);
    }
  });

  it('are encoded when a reader would mistake plain text for an encoded word', () => {
    const [, encoded = ''] = /\r\nSubject: (.*)\r\n/.exec(headerOf({ subject: '=?utf-8?Q?x?=' })) ?? [];
    expect(encoded).toMatch(/^=\?utf-8\?B\?\S+\?=$/);
    expect(decodeWords(encoded)).toBe('=?utf-8?Q?x?=');
  });

  it('of the sender are unchanged when they are ASCII, with the name as the sender wrote it', () => {
    const headers = [['x-MiXeD', '=?utf-8?Q?x?= <a@b.example>; q="1"']] as const;
    expect(headerOf({ headers })).toContain('\r\nx-MiXeD: =?utf-8?Q?x?= <a@b.example>; q="1"\r\n');
    expect(headerOf({ headers: [['X-Ä'.slice(0, 2), 'Ä']] })).toContain('X-: =?utf-8?B?w4Q=?=\r\n');
  });

  it('may be empty', () => {
    expect(headerOf({ subject: ' \t ', headers: [['X-Empty', '']] })).toMatch(
      /\r\nSubject:\r\n[\s\S]*\r\nX-Empty:\r\n/,
    );
  });

  it.each(['\r', '\n', '\0', '\r\nBcc: victim@example.com'])('with %j are rejected in every field', (bad) => {
    const mailbox = { name: `a${bad}b`, address: 'a@example.com' };
    const refused: Partial<MimeMessage>[] = [
      { subject: `a${bad}b` },
      { from: mailbox },
      { to: [mailbox] },
      { cc: [mailbox] },
      { replyTo: [mailbox] },
      { to: [{ name: null, address: `a${bad}@example.com` }] },
      { headers: [['X-A', `a${bad}b`]] },
      { headers: [[`X-A${bad}`, 'a']] },
      { messageId: `a${bad}@b` },
    ];
    for (const fields of refused) expect(() => compose(fields), JSON.stringify(fields)).toThrow(HeaderRefusedError);
  });

  it.each([
    'Bcc',
    'bcc',
    'From',
    'TO',
    'Cc',
    'Subject',
    'Date',
    'Message-Id',
    'MIME-version',
    'Content-Type',
    'a b',
    '',
  ])('named %j cannot be set by the sender', (name) => {
    expect(() => compose({ headers: [[name, 'x@example.com']] })).toThrow(HeaderRefusedError);
  });

  it('that became reserved after a message was stored are left out', { tags: ['holes.reserved-headers'] }, () => {
    const headers = [
      ['Resent-To', 'a@example.com'],
      ['X-Kept', 'yes'],
    ] as const;
    expect(headerOf({ headers })).not.toMatch(/resent/i);
    expect(headerOf({ headers })).toContain('X-Kept: yes');
  });

  it('contain one Reply-To at most, the message’s own before one among the headers', () => {
    const headers = [['reply-to', 'a@example.com']] as const;
    const replies = (replyTo: readonly Mailbox[]) => headerOf({ headers, replyTo }).match(/^reply-to: .*$/gim);
    expect(replies([])).toEqual(['reply-to: a@example.com']);
    expect(replies([{ name: null, address: 'b@example.com' }])).toEqual(['Reply-To: b@example.com']);
  });
});

describe('mailboxes', () => {
  const from = (name: string | null, address = 'a@example.com') =>
    /^From: (.*)\r\n/.exec(headerOf({ from: { name, address } }))?.[1];

  it('show a name as atoms, quoted or encoded, as needed', () => {
    expect(from(null)).toBe('a@example.com');
    expect(from(' ')).toBe('a@example.com');
    expect(from('Jane Doe')).toBe('Jane Doe <a@example.com>');
    expect(from('Doe, Jane "JD" \\o/')).toBe('"Doe, Jane \\"JD\\" \\\\o/" <a@example.com>');
    expect(from('Jürgen')).toBe('=?utf-8?Q?J=C3=BCrgen?= <a@example.com>');
    expect(from('=?x')).toBe('=?utf-8?B?PT94?= <a@example.com>');
  });

  it('use in encoded names only the characters that RFC 2047 allows in a phrase', () => {
    const everything = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 0x20 + index));
    // Enough letters for the Q encoding to be the shorter one.
    const header = headerOf({ from: { name: `${everything}${'abc'.repeat(60)}é`, address: 'a@example.com' } });
    const words = header.match(/=\?utf-8\?Q\?[^?]*\?=/g) ?? [];
    expect(words.length).toBeGreaterThan(0);
    for (const word of words) expect(word).toMatch(/^=\?utf-8\?Q\?[A-Za-z0-9!*+/=_-]+\?=$/);
  });

  it('keep a quoted local part in brackets, since some readers take its text for a name', () => {
    expect(from(null, '"a b"@example.com')).toBe('<"a b"@example.com>');
  });

  it('fold at the commas', () => {
    const to = Array.from({ length: 50 }, (_, index) => ({
      name: `Person ${index}`,
      address: `p${index}@example.com`,
    }));
    const [field = ''] = /^To:.*(?:\r\n .*)*/m.exec(headerOf({ to })) ?? [];
    const lines = field.split('\r\n');
    expect(lines.length).toBeGreaterThan(15);
    for (const line of lines.slice(0, -1)) {
      expect(line.endsWith(',')).toBe(true);
      expect(line.length).toBeLessThanOrEqual(78);
    }
  });
});

describe('generated messages', () => {
  const random = seededRandom('generated messages');
  const messages = Array.from({ length: 2000 }, () => generateMessage(random));

  it('keep the limits of SMTP: ASCII, CRLF only, lines of 998, folded headers', () => {
    messages.forEach((message, index) => {
      const { header, body } = composeMime(message);
      expect(wireFaults(header, body), label(random.seed, index)).toEqual([]);
    });
  });

  it('compose to the same bytes every time', () => {
    for (const [index, message] of messages.entries()) {
      const again = joinMessage(composeMime(structuredClone(message)), []);
      expect(joinMessage(composeMime(message), []).equals(again), label(random.seed, index)).toBe(true);
    }
  });

  it('are read by an independent parser as they were passed', async () => {
    for (const [index, message] of messages.entries()) {
      const parsed = await PostalMime.parse(joinMessage(composeMime(message), []));
      expect(readBack(parsed, message), label(random.seed, index)).toEqual(given(message));
    }
  }, 60_000);

  it('are read like those of an independent composer, if both agree on the meaning', async () => {
    // Half of them: the other composer takes ten times as long as everything else here, and every run has its own messages.
    for (const [index, message] of messages.slice(0, messages.length / 2).entries()) {
      const plain = withoutDisputes(message);
      const ours = await PostalMime.parse(joinMessage(composeMime(plain), []));
      const theirs = await PostalMime.parse(await composeElsewhere(plain));
      expect(readBack(ours, plain), label(random.seed, index)).toEqual(readBack(theirs, plain));
    }
  }, 60_000);
});

function label(seed: number, index: number): string {
  return `message ${index} of POSTRIDER_TEST_SEED=${seed}`;
}

function wireFaults(header: string, body: string): string[] {
  const faults: string[] = [];
  const message = `${header}\r\n${body}`;
  if (Buffer.byteLength(message) !== message.length || message.includes('\0')) faults.push('not ASCII');
  if (/\r(?!\n)|(?<!\r)\n/.test(message)) faults.push('bare CR or LF');
  if (message.split('\r\n').some((line) => line.length > 998)) faults.push('line over 998');
  if (!header.endsWith('\r\n') || (body !== '' && !body.endsWith('\r\n'))) faults.push('no closing CRLF');
  // A quoted local part is one word for all its spaces.
  for (const line of header.slice(0, -2).replaceAll('"john smith"', '"john_smith"').split('\r\n')) {
    if (line.trim() === '') faults.push('blank header line');
    if (!/^(?:[!-9;-~]+:|[ \t])/.test(line)) faults.push('neither field nor continuation');
    if (/[ \t]$/.test(line)) faults.push('blank at the end of a header line');
    if (line.includes('=?utf-8?') && line.length > 76) faults.push('encoded line over 76');
    // A longer line is right only where it has no place to fold: one word after its name or its blanks.
    if (line.length > 78 && !/^(?:[!-9;-~]+:)?[ \t]*[^ \t]+$/.test(line)) faults.push('unfolded');
  }
  return faults;
}

interface Reading {
  messageId: string | undefined;
  date: string | undefined;
  from: unknown;
  to: unknown;
  cc: unknown;
  replyTo: unknown;
  subject: string;
  text: string;
  html: string;
  headers: (string | undefined)[];
}

function readBack(parsed: Email, message: MimeMessage): Reading {
  return {
    messageId: parsed.messageId,
    date: parsed.date,
    from: parsed.from && readMailbox(parsed.from),
    // The empty group of a message to blind copies alone is ours; the other composer leaves the header out.
    to: (parsed.to ?? []).filter((address) => address.group === undefined).map(readMailbox),
    cc: (parsed.cc ?? []).map(readMailbox),
    replyTo: (parsed.replyTo ?? []).map(readMailbox),
    subject: parsed.subject ?? '',
    text: withoutAddedBreak(parsed.text ?? '', message.text ?? ''),
    html: withoutAddedBreak(parsed.html ?? '', message.html ?? ''),
    headers: message.headers.map(([name]) => decodeWords(findHeader(parsed, name))),
  };
}

function findHeader(parsed: Email, name: string): string {
  return parsed.headers.find(({ key }) => key === name.toLowerCase())?.value ?? '';
}

function readMailbox(address: Address): unknown {
  return { name: address.name, address: address.address };
}

function given(message: MimeMessage): Reading {
  const hasBoth = message.text !== null && message.html !== null;
  return {
    messageId: `<${message.messageId}>`,
    date: new Date(Math.floor(message.date.getTime() / 1000) * 1000).toISOString(),
    from: givenMailbox(message.from),
    to: message.to.map(givenMailbox),
    cc: message.cc.map(givenMailbox),
    replyTo: message.replyTo.map(givenMailbox),
    subject: trimBlanks(message.subject),
    text: hasBoth && message.text === '' ? '' : normalizeBreaks(message.text ?? ''),
    html: normalizeBreaks(message.html ?? ''),
    headers: message.headers.map(([, value]) => trimBlanks(value)),
  };
}

/** The parser leaves out a name that only repeats the address. */
function givenMailbox({ name, address }: Mailbox): unknown {
  const shown = trimBlanks(name ?? '');
  return { name: shown === address ? '' : shown, address };
}

/** A pattern for both ends would take quadratic time on the long runs of blanks among the generated values. */
function trimBlanks(value: string): string {
  let end = value.length;
  while (end > 0 && (value[end - 1] === ' ' || value[end - 1] === '\t')) end--;
  return value
    .slice(0, end)
    .replace(/^[ \t]+/, '')
    .toWellFormed();
}

function normalizeBreaks(text: string): string {
  return text.replace(/\r\n?|\n/g, '\n').toWellFormed();
}

/** The parser ends every body that is not base64 with a line break, and every message ends its last line. */
function withoutAddedBreak(parsed: string, input: string): string {
  const text = normalizeBreaks(parsed);
  return text === `${normalizeBreaks(input)}\n` ? text.slice(0, -1) : text;
}

/**
 * What the other composer decides otherwise, by design: it trims nothing, takes text for encoded words, breaks lines
 * at LF alone, sends empty alternatives, and brackets the ids in References and In-Reply-To.
 */
function withoutDisputes(message: MimeMessage): MimeMessage {
  const text = (value: string) => trimBlanks(value.replaceAll('=?', ''));
  const mailbox = ({ name, address }: Mailbox) => ({ name: name === null ? null : text(name), address });
  return {
    ...message,
    from: mailbox(message.from),
    to: message.to.map(mailbox),
    cc: message.cc.map(mailbox),
    replyTo: message.replyTo.map(mailbox),
    subject: text(message.subject),
    text: message.text === null ? null : normalizeBreaks(message.text),
    html: message.html === null ? null : normalizeBreaks(message.html),
    headers: message.headers
      .filter(([name]) => name !== 'References' && name !== 'In-Reply-To')
      .map(([name, value]): [string, string] => [name, trimBlanks(value)]),
  };
}

function composeElsewhere(message: MimeMessage): Promise<Buffer> {
  const mailbox = ({ name, address }: Mailbox) => ({ name: name ?? '', address });
  return new MailComposer({
    messageId: `<${message.messageId}>`,
    date: message.date,
    from: mailbox(message.from),
    to: message.to.map(mailbox),
    cc: message.cc.map(mailbox),
    replyTo: message.replyTo.map(mailbox),
    subject: message.subject,
    headers: message.headers.map(([key, value]) => ({ key, value })),
    ...(message.text === null ? {} : { text: message.text }),
    ...(message.html === null ? {} : { html: message.html }),
  })
    .compile()
    .build();
}
