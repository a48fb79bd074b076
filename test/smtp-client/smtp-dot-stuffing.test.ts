import { describe, expect, it } from 'vitest';
import { BareLineEndingError, dotStuff, endOfData } from '../../packages/server/src/smtp-client/smtp-dot-stuffing.ts';

describe('dotStuff', () => {
  it.each([
    ['.', '..'],
    ['..', '...'],
    ['.\r\n', '..\r\n'],
    ['a\r\n.b\r\n', 'a\r\n..b\r\n'],
    ['.\r\n.\r\n..\r\n', '..\r\n..\r\n...\r\n'],
    ['\r\n.\r\n', '\r\n..\r\n'],
    ['a.b\r\nc.\r\n', 'a.b\r\nc.\r\n'],
    ['', ''],
  ])('doubles the dots at the start of a line: %j', (data, stuffed) => {
    expect(dotStuff(Buffer.from(data)).toString()).toBe(stuffed);
  });

  it('copies nothing when no line starts with a dot', () => {
    const data = Buffer.from('a line.\r\n\r\nanother. ..line\r\n');
    expect(dotStuff(data)).toBe(data);
  });

  it.each(['a\nb', '\n', '\n.\r\n', 'a\r', 'a\rb', '\r\r\n', 'a\r\n\n', '\r\n\r', 'a\r\n.\n'])(
    'rejects a line ending that is not CRLF: %j',
    (data) => {
      expect(() => dotStuff(Buffer.from(data))).toThrow(BareLineEndingError);
    },
  );
});

describe('endOfData', () => {
  it('puts the final dot on its own line and adds no empty one', () => {
    expect(endOfData(Buffer.from('a\r\n'))).toBe('.\r\n');
    expect(endOfData(Buffer.from('a'))).toBe('\r\n.\r\n');
    expect(endOfData(Buffer.alloc(0))).toBe('.\r\n');
  });
});
