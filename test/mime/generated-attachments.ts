import type { Attachment } from '../../packages/server/src/mime/compose-mime.ts';
import type { SeededRandom } from '../harness/seeded-random.ts';

const NAMES: readonly [string, ...string[]] = [
  'report.pdf',
  'no ending',
  'two words.txt',
  "it's; a=b, (c) <d> [e].csv",
  'say "hi".txt',
  '100% =?utf-8?Q?literal?=.txt',
  'Grüße aus Köln.pdf',
  'ﬁnal – naïve ✓.docx',
  '注文書.xlsx',
  '👩‍👩‍👧‍👦 family 😀.png',
  'שלום.txt',
  "quote'd*name%20.txt",
  `${'a'.repeat(240)}.txt`,
  `${'ö'.repeat(120)}.txt`,
  `${'very long name with words '.repeat(8)}.pdf`,
  `${'注文'.repeat(60)}.pdf`,
];

const MESSAGE = 'From: a@example.com\r\nSubject: Inner\r\n\r\nInner body\r\n.\r\n--x--\r\n';

type Make = (random: SeededRandom) => Pick<Attachment, 'contentType' | 'content'>;

const KINDS: readonly [Make, ...Make[]] = [
  (random) => ({ contentType: 'image/png', content: bytes(random, random.integer(1, 3_000)) }),
  (random) => ({ contentType: 'application/pdf', content: bytes(random, random.integer(1, 120)) }),
  (random) => ({
    contentType: 'application/octet-stream; x-own="a b"',
    content: bytes(random, random.integer(50, 64)),
  }),
  () => ({ contentType: 'text/plain', content: Buffer.from('plain text\nwith bare LF\r\nand no end') }),
  () => ({ contentType: 'text/csv; charset=iso-8859-1', content: Buffer.from('Gr\u00fc\u00dfe;1\r\n', 'latin1') }),
  () => ({ contentType: 'text/html; charset=utf-8', content: Buffer.from('<p>Grüße 😀</p>\n\n\n') }),
  () => ({ contentType: 'text/plain', content: Buffer.from([0xff, 0xfe, 0x00, 0x0d, 0x0a, 0x0d]) }),
  () => ({
    contentType: 'text/calendar; method=REQUEST',
    content: Buffer.from('BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'),
  }),
  () => ({ contentType: 'message/rfc822', content: Buffer.from(MESSAGE) }),
  () => ({ contentType: 'message/rfc822', content: Buffer.from(MESSAGE.replaceAll('\r\n', '\n')) }),
  () => ({ contentType: 'application/zip; name="evil.exe"', content: Buffer.from('PK') }),
];

/** Files of every kind, with names of every script and length; each third one is shown by the html. */
export function generateAttachments(random: SeededRandom): readonly Attachment[] {
  return Array.from({ length: random.integer(0, 4) }, (_, index) => ({
    ...random.pick(KINDS)(random),
    filename: random.pick(NAMES),
    contentId: random.chance(0.35) ? `part${index}.${random.integer(0, 9_999)}@example.com` : null,
  }));
}

function bytes(random: SeededRandom, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.integer(0, 255)));
}
