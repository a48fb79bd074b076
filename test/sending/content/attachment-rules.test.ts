import { describe, expect, it } from 'vitest';
import { isRefusedType, sanitizeFilename } from '../../../packages/server/src/sending/content/attachment-name.ts';
import { decodeBase64 } from '../../../packages/server/src/sending/content/decode-base64.ts';
import { guessMediaType } from '../../../packages/server/src/sending/content/media-type.ts';

describe('the name of a file', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['/etc/passwd', 'passwd'],
    ['..\\..\\windows\\system.ini', 'system.ini'],
    ['C:\\Users\\ada\\Brief.docx', 'Brief.docx'],
    ['a/b\\c.txt', 'c.txt'],
    ['  spaced name.txt  ', 'spaced name.txt'],
    ['dots.txt...', 'dots.txt'],
    ['.htaccess', '.htaccess'],
    ['Grüße 😀.txt', 'Grüße 😀.txt'],
    ['say "hi".txt', 'say "hi".txt'],
  ])('%j is sent as %j', (given, name) => {
    expect(sanitizeFilename(given)).toBe(name);
  });

  it.each(['', '.', '..', '...', ' ', 'folder/', 'folder\\', '/', '../..', 'a/. .'])(
    '%j has no usable name',
    (given) => {
      expect(sanitizeFilename(given)).toBeNull();
    },
  );
});

describe('the type of a file', () => {
  const PROGRAMS = ['exe', 'bat', 'cmd', 'com', 'scr', 'js', 'vbs', 'msi', 'lnk', 'jar'];

  it.each(PROGRAMS)(
    '.%s is rejected, however it is written',
    { tags: ['contract-sending.attachment-types'] },
    (ending) => {
      const names = [
        `a.${ending}`,
        `a.${ending.toUpperCase()}`,
        `report.pdf.${ending}`,
        `.${ending}`,
        `folder/a.${ending}`,
      ];
      const disguised = [
        `a.${ending}.`,
        `a.${ending} `,
        `a.${ending} . .`,
        `a.${ending}::$DATA`,
        `a.${ending}:b.txt`,
        `a．${ending}`,
      ];
      for (const name of [...names, ...disguised]) expect(isRefusedType(name), name).toBe(true);
    },
  );

  it.each(['a.pdf', 'a.exe.pdf', 'exe', 'a.exes', 'a.json', 'a.jsx', 'com', 'example.com.txt', 'a.b:c.txt', 'a', ''])(
    '%j is not executable',
    (name) => {
      expect(isRefusedType(name)).toBe(false);
    },
  );

  it.each([
    ['a.pdf', 'application/pdf'],
    ['A.PDF', 'application/pdf'],
    ['notes.txt', 'text/plain'],
    ['data.csv', 'text/csv'],
    ['logo.png', 'image/png'],
    ['photo.JPG', 'image/jpeg'],
    ['invite.ics', 'text/calendar'],
    ['a.tar.gz', 'application/gzip'],
    ['a.unknown', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
    ['none', 'application/octet-stream'],
  ])('of %s is %s', (name, type) => {
    expect(guessMediaType(name)).toBe(type);
  });
});

describe('base64', () => {
  it('decodes to the original bytes, with line breaks or without', async () => {
    for (let length = 0; length < 200; length += 1) {
      const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * 37 + length) % 256));
      const text = bytes.toString('base64');
      expect(await decodeBase64(text)).toEqual(bytes);
      expect(await decodeBase64(`${text.replace(/.{20}/g, '$&\r\n')}\n`)).toEqual(bytes);
    }
  });

  it.each([
    ['characters outside base64', 'not base64!'],
    ['words', 'hello world'],
    ['no padding', 'QQ'],
    ['half a padding', 'QQ='],
    ['too much padding', 'QQ==='],
    ['padding inside', 'QQ==QQ=='],
    ['padding first', '=QQQ'],
    ['the URL alphabet', '-_-_'],
    ['a data URL', 'data:text/plain;base64,QQ=='],
    ['letters beyond ASCII', 'ŁŁŁŁ'],
    ['one foreign character', 'QUJD?UFC'],
    ['a NUL', 'QUJ\0'],
    ['one character', 'Q'],
  ])('with %s is invalid', async (_, text) => {
    expect(await decodeBase64(text)).toBeNull();
  });

  it('is read in parts as if it were read in one, wherever blanks and padding are', async () => {
    const bytes = Buffer.from(Array.from({ length: 900_001 }, (_, index) => (index * index) % 251));
    const text = bytes.toString('base64');
    expect((await decodeBase64(text))?.equals(bytes)).toBe(true);
    expect((await decodeBase64(text.replace(/.{19}/g, '$& ')))?.equals(bytes)).toBe(true);
    expect((await decodeBase64(`${text}${' '.repeat(2_000_000)}`))?.equals(bytes)).toBe(true);
    for (const more of ['QUJD', '=', 'Q', ' '.repeat(1_000_000).concat('QUJD')]) {
      expect(await decodeBase64(text + more)).toBeNull();
    }
  });

  it('agrees with an independent reading on generated texts', async () => {
    const alphabet = 'AZaz09+/=-_ ?é';
    for (let seed = 0; seed < 20_000; seed += 1) {
      const text = Array.from(
        { length: (seed % 9) + 1 },
        (_, at) => alphabet[(seed * (at + 7) * 31 + (seed >> (at + 2))) % alphabet.length],
      ).join('');
      const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(
        text.replaceAll(' ', ''),
      );
      expect((await decodeBase64(text)) !== null, text).toBe(isBase64);
    }
  });
});
