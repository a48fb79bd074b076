import type { BodyShape } from './hostile-bodies.ts';

const HEAD = 'From: ada@sandbox.test\r\nTo: delivered@sandbox.test\r\nSubject: Hello\r\n';

/** Complete messages of about this many characters, with CRLF line endings and unusual MIME structures or headers. */
export const HOSTILE_MESSAGES: Readonly<Record<string, BodyShape>> = {
  'many headers': (n) => `${HEAD}${'X-A: b\r\n'.repeat(n / 8)}\r\nHi\r\n`,
  'a folded header': (n) => `${HEAD}X-A: b\r\n${' c\r\n'.repeat(n / 4)}\r\nHi\r\n`,
  'a header of blanks': (n) => `${HEAD}X-A:${lines(' '.repeat(900), n)}\r\nHi\r\n`,
  'a subject of encoded words': (n) => `${HEAD.slice(0, -7)}${lines('=?utf-8?Q?a?= '.repeat(60), n)}\r\nHi\r\n`,
  'half encoded words': (n) => `${HEAD}X-A: ${lines('=?utf-8?Q?'.repeat(80), n)}\r\nHi\r\n`,
  'a long list of addresses': (n) =>
    `From: ada@sandbox.test\r\nTo: ${lines('a@b.example, '.repeat(60), n)}x@b.example\r\n\r\nHi\r\n`,
  'addresses of comments': (n) => `From: ada@sandbox.test\r\nTo: ${lines('('.repeat(900), n)}\r\n\r\nHi\r\n`,
  'addresses of quotes': (n) => `From: ada@sandbox.test\r\nTo: ${lines('"\\'.repeat(450), n)}\r\n\r\nHi\r\n`,
  'parameters of a type': (n) => `${HEAD}Content-Type: text/plain; ${lines('a=b; '.repeat(180), n)}\r\n\r\nHi\r\n`,
  'numbered parameters': (n) => `${HEAD}Content-Type: text/plain; ${lines('a*1=b; '.repeat(120), n)}\r\n\r\nHi\r\n`,
  'nested parts': (n) => `${HEAD}MIME-Version: 1.0\r\n${nested(Math.floor(n / 80))}`,
  'many parts': (n) => `${multipart('b')}${'--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'.repeat(n / 37)}--b--\r\n`,
  'empty parts': (n) => `${multipart('b')}${'--b\r\n\r\n'.repeat(n / 7)}--b--\r\n`,
  'almost boundaries': (n) => `${multipart('b')}${'--bb\r\n'.repeat(n / 6)}--b--\r\n`,
  dashes: (n) => `${multipart('b')}${lines('-'.repeat(900), n)}--b--\r\n`,
  'an empty boundary': (n) => `${multipart('')}${'--\r\n'.repeat(n / 4)}`,
  'base64 that is none': (n) => `${HEAD}Content-Transfer-Encoding: base64\r\n\r\n${lines('!?'.repeat(400), n)}`,
  'base64 of single letters': (n) => `${HEAD}Content-Transfer-Encoding: base64\r\n\r\n${'Q\r\n'.repeat(n / 3)}`,
  'quoted-printable that is none': (n) =>
    `${HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n${lines('='.repeat(900), n)}`,
  'blanks before line ends': (n) =>
    `${HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n${lines(' '.repeat(900), n)}`,
  'html of links': (n) =>
    `${HEAD}Content-Type: text/html\r\n\r\n${lines('<a href="https://a.example">x</a>'.repeat(25), Math.min(n, 1_900_000))}`,
  'a strange charset': (n) =>
    `${HEAD}Content-Type: text/plain; charset=utf-16\r\n\r\n${lines('x'.repeat(900), Math.min(n, 1_900_000))}`,
  'many headers in all parts': (n) =>
    `${multipart('b')}${`--b\r\n${'X:\r\n'.repeat(12_000)}\r\nx\r\n`.repeat(Math.ceil(n / 48_000))}--b--\r\n`,
  'delimiters within lines of nested parts': (n) =>
    `${multipart('b')}${'--b\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'.repeat(18)}${'--b'.repeat(n / 3)}\r\n--b--\r\n`,
  'almost boundaries of nested parts': (n) =>
    `${HEAD}${Array.from({ length: 18 }, (_, level) => `Content-Type: multipart/mixed; boundary="b${'b'.repeat(level)}"\r\n\r\n--b${'b'.repeat(level)}\r\n`).join('')}${'--bbbbbbbbbbbbbbbbbbbbbb\r\n'.repeat(n / 26)}`,
  'empty lines': (n) => `${HEAD}\r\n${'\r\n'.repeat(Math.min(n, 1_900_000) / 2)}`,
};

function lines(line: string, characters: number): string {
  return `${line}\r\n `.repeat(Math.max(1, Math.floor(characters / (line.length + 3))));
}

function multipart(boundary: string): string {
  return `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`;
}

function nested(depth: number): string {
  const parts: string[] = [];
  for (let level = 0; level < depth; level++) {
    parts.push(`Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\n`);
  }
  return `${parts.join('')}Content-Type: text/plain\r\n\r\nHi\r\n`;
}
