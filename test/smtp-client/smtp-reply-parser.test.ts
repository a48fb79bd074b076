import { describe, expect, it } from 'vitest';
import { MalformedReplyError, SmtpReplyParser } from '../../packages/server/src/smtp-client/smtp-reply-parser.ts';
import { foldReplyText, toServerReply } from '../../packages/server/src/smtp-client/smtp-reply-text.ts';

function parse(...chunks: readonly string[]): { code: number; text: string }[] {
  const replies: { code: number; text: string }[] = [];
  const parser = new SmtpReplyParser((code, text) => replies.push({ code, text }));
  for (const chunk of chunks) parser.push(Buffer.from(chunk, 'latin1'));
  return replies;
}

describe('SmtpReplyParser', () => {
  it('reads single and multi-line replies, also several in one chunk', () => {
    expect(parse('250-mx.test\r\n250-SIZE 10\r\n250 HELP\r\n354 go\r\n250\r\n221 \r\n')).toEqual([
      { code: 250, text: 'mx.test\nSIZE 10\nHELP' },
      { code: 354, text: 'go' },
      { code: 250, text: '' },
      { code: 221, text: '' },
    ]);
  });

  it('reads the same whatever the boundaries of the chunks', () => {
    const said = '220 mx.test ESMTP\r\n250-mx.test\r\n250-A\r\n250 B\r\n550-5.1.1 no\r\n550 5.1.1 such user\r\n';
    const whole = parse(said);
    for (let size = 1; size < said.length; size += 1) {
      const chunks = said.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(parse(...chunks)).toEqual(whole);
    }
  });

  it('accepts a line feed alone as the end of a line', () => {
    expect(parse('250-a\n250 b\n')).toEqual([{ code: 250, text: 'a\nb' }]);
  });

  it.each([
    'hello\r\n',
    'SSH-2.0-OpenSSH_9.2\r\n',
    '25 short\r\n',
    '2500 long\r\n',
    '250x\r\n',
    '150 preliminary\r\n',
    '650 unheard\r\n',
    '\r\n',
    '250-one\r\n550 other\r\n',
    '250-one\r\n\r\n',
    ' 250 led by a space\r\n',
  ])('rejects an invalid reply: %j', (said) => {
    expect(() => parse(said)).toThrow(MalformedReplyError);
  });

  it('limits a line, the lines of a reply, and a reply', () => {
    expect(() => parse(...Array.from({ length: 9 }, () => 'a'.repeat(512)))).toThrow(MalformedReplyError);
    expect(() => parse(`250 ${'a'.repeat(5_000)}\r\n`)).toThrow(MalformedReplyError);
    expect(() => parse('250-a\r\n'.repeat(501))).toThrow(MalformedReplyError);
    expect(() => parse(`250-${'a'.repeat(4_000)}\r\n`.repeat(17))).toThrow(MalformedReplyError);
  });

  it('returns nothing more once it is stopped, in the middle of a chunk too', () => {
    const codes: number[] = [];
    const parser = new SmtpReplyParser((code) => {
      codes.push(code);
      parser.stop();
    });
    parser.push(Buffer.from('250 a\r\n251 b\r\n'));
    parser.push(Buffer.from('252 c\r\n'));
    expect(codes).toEqual([250]);
  });

  it('reports whether it has read a part of a further reply', () => {
    const parser = new SmtpReplyParser(() => undefined);
    expect(parser.isEmpty).toBe(true);
    parser.push(Buffer.from('220 go\r\n2'));
    expect(parser.isEmpty).toBe(false);
    parser.push(Buffer.from('50-a\r\n'));
    expect(parser.isEmpty).toBe(false);
    parser.push(Buffer.from('250 b\r\n'));
    expect(parser.isEmpty).toBe(true);
  });
});

describe('toServerReply', () => {
  it('finds the enhanced code and folds the lines without repeating it', () => {
    expect(toServerReply(550, '5.1.1 The account\n5.1.1 does not exist.\nSee below', 'mx.test', true)).toEqual({
      code: 550,
      enhanced: '5.1.1',
      text: '5.1.1 The account does not exist. See below',
      lines: ['550-5.1.1 The account', '550-5.1.1 does not exist.', '550 See below'],
      server: 'mx.test',
      aboutRecipient: true,
    });
  });

  it('keeps the lines of a reply as received, without unsafe characters', () => {
    const bytes = Buffer.from('5.7.1 Café\n\u001b[31mred\t2\n\nend').toString('latin1');
    expect(toServerReply(554, bytes, null, true).lines).toEqual([
      '554-5.7.1 Café',
      '554- [31mred 2',
      '554-',
      '554 end',
    ]);
    expect(toServerReply(554, '5.7.1 no', null, true)).not.toHaveProperty('lines');
  });

  it('keeps at most 1,000 characters of lines', () => {
    const { lines = [] } = toServerReply(
      550,
      Array.from({ length: 100 }, () => '5.7.1 we do not want this').join('\n'),
      null,
      true,
    );
    expect(lines.join('\n').length).toBeLessThanOrEqual(1_000);
    expect(lines[0]).toBe('550-5.7.1 we do not want this');
  });

  it('accepts no other number as an enhanced code', () => {
    for (const text of ['10.0.0.1 is listed', '5.1 no', '5.1.1no', '3.1.1 odd', 'see 5.1.1', '5.1.1111 x']) {
      expect(toServerReply(550, text, null, true).enhanced, text).toBeNull();
    }
  });

  it('decodes UTF-8 and removes control, escape and direction characters', () => {
    const bytes = Buffer.from('caf\u00e9 \u001b[31mred\u001b[0m\ta\u0000b\u202ec\u009bd\u2028e').toString('latin1');
    expect(foldReplyText(bytes)).toBe('café [31mred [0m a b c d e');
  });

  it('decodes bytes that are not UTF-8 to complete characters', () => {
    expect(foldReplyText('a\u00ff\u00feb')).toBe('a\ufffd\ufffdb');
  });

  it('keeps at most 1,000 characters and never half a one', () => {
    expect(foldReplyText('a'.repeat(1_200))).toHaveLength(1_000);
    const emoji = Buffer.from(`a${'\u{1f600}'.repeat(600)}`).toString('latin1');
    expect(foldReplyText(emoji).isWellFormed()).toBe(true);
    expect(foldReplyText(emoji)).toHaveLength(999);
  });
});
