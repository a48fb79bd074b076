import type { Mailbox, MimeMessage } from '../../packages/server/src/mime/compose-mime.ts';
import type { SeededRandom } from '../harness/seeded-random.ts';

/** A message of any shape a sender may come up with: scripts, lengths, blanks, line ends, header names of any case. */
export function generateMessage(random: SeededRandom): MimeMessage {
  const text = random.chance(0.75) ? generateBody(random) : null;
  return {
    messageId: `${random.integer(0, 2 ** 31).toString(36)}.${random.integer(0, 2 ** 31).toString(36)}@mail.example.com`,
    date: new Date(random.integer(0, 4_000_000_000_000)),
    from: generateMailbox(random),
    to: generateMailboxes(random, 0.05),
    cc: generateMailboxes(random, 0.7),
    replyTo: generateMailboxes(random, 0.7),
    subject: generateHeaderText(random),
    text,
    html: text === null || random.chance(0.7) ? generateBody(random) : null,
    headers: generateHeaders(random),
    boundarySeed: String(random.integer(0, 2 ** 31)),
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Words in many scripts, with marks that join, sequences that must not be split, and direction marks. */
const WORDS: readonly [string, ...string[]] = [
  'order',
  'Your',
  'invoice',
  'a',
  '-',
  '"quoted"',
  "it's",
  'back\\slash',
  'a,b;c:d',
  '<tag>',
  '(comment)',
  '[x]',
  'me@here',
  '=3D',
  '=?utf-8?Q?literal?=',
  '=?',
  'Größe',
  'naïve',
  'Ünïcödé',
  'žluťoučký',
  'Ελληνικά',
  'Привет',
  '注文が発送されました',
  '안녕하세요',
  'مرحبا بالعالم',
  'שלום',
  '\u202bעברית\u202c',
  'e\u0301',
  '👩‍👩‍👧‍👦',
  '🇺🇳',
  '😀',
  '–',
  '\u00a0',
  '\u3000',
  'ﬁ',
  '€5',
];

const ASCII_WORDS: readonly [string, ...string[]] = [
  'order',
  'Your',
  'a',
  '-',
  "it's",
  'x=y',
  'a,b;c',
  '<u>',
  '(c)',
  '@',
];

function repeat(count: number, make: () => string, separator: string): string {
  return Array.from({ length: count }, make).join(separator);
}

function generateToken(random: SeededRandom, length: number): string {
  return repeat(length, () => LETTERS.charAt(random.integer(0, LETTERS.length - 1)), '');
}

/** Text for a Subject or a display name: never a line break, anything else. */
function generateHeaderText(random: SeededRandom): string {
  const shapes: readonly [() => string, ...(() => string)[]] = [
    () => repeat(random.integer(1, 8), () => random.pick(ASCII_WORDS), ' '),
    () => repeat(random.integer(1, 8), () => random.pick(WORDS), ' '),
    () => repeat(random.integer(10, 120), () => random.pick(ASCII_WORDS), ' '),
    () => repeat(random.integer(10, 80), () => random.pick(WORDS), ' '),
    () => repeat(random.integer(1, 60), () => random.pick(WORDS), ''),
    () =>
      repeat(random.integer(2, 20), () => random.pick(ASCII_WORDS), random.pick(['  ', '\t', ' \t ', ' '.repeat(40)])),
    () => ` \t${random.pick(WORDS)} \t `,
    () => generateToken(random, random.integer(60, 90)),
    () => generateToken(random, random.integer(900, 1300)),
    () => `x${' '.repeat(random.integer(900, 1300))}y`,
    () => `control \u0001\u007f\u001b[1m ${random.pick(WORDS)}`,
    () => random.pick(['', ' ', '\t \t']),
  ];
  return random.pick(shapes)();
}

function generateMailboxes(random: SeededRandom, emptiness: number): Mailbox[] {
  if (random.chance(emptiness)) return [];
  const isLong = random.chance(0.05);
  return Array.from({ length: isLong ? random.integer(10, 50) : random.integer(1, 2) }, () => ({
    ...generateMailbox(random),
    ...(isLong ? { name: random.pick(WORDS) } : {}),
  }));
}

function generateMailbox(random: SeededRandom): Mailbox {
  const local = random.pick([
    generateToken(random, random.integer(1, 20)),
    `${generateToken(random, 5)}+tag.${generateToken(random, 3)}`,
    "o'hara_{x}",
    generateToken(random, 64),
    '"john smith"',
    '"a,b"',
    '"at@sign"',
  ]);
  const domain = random.pick([
    'example.com',
    'xn--bcher-kva.example',
    'xn--fsqu00a.xn--0zwm56d',
    `${generateToken(random, 50)}.${generateToken(random, 60)}.${generateToken(random, 60)}.example`.toLowerCase(),
  ]);
  return { name: random.chance(0.3) ? null : generateHeaderText(random), address: `${local}@${domain}` };
}

function generateHeaders(random: SeededRandom): [string, string][] {
  const names = [
    'X-Campaign',
    'x-lower-case',
    'X-UPPER',
    'List-Unsubscribe',
    'In-Reply-To',
    'References',
    'Feedback-ID',
  ];
  return names
    .filter(() => random.chance(0.3))
    .map((name): [string, string] => [name, generateHeaderText(random).replaceAll('=?', '')]);
}

/** A text or html: the composer does not look into either, so one generator serves both. */
function generateBody(random: SeededRandom): string {
  const shapes: readonly [() => string, ...(() => string)[]] = [
    () => '',
    () => random.pick([' ', '\n', '\r\n \r\n', '\t\n  \n', '\n\n\n']),
    () => generateLines(random, ASCII_WORDS, '\n'),
    () => generateLines(random, WORDS, '\n'),
    () => generateLines(random, WORDS, random.pick(['\r\n', '\r', '\n\r', '\r\r\n'])),
    () => repeat(random.integer(1, 400), () => random.pick(WORDS), ' '),
    () =>
      repeat(random.integer(1, 4), () => generateToken(random, random.integer(990, 1005)), random.pick(['\n', '\r\n'])),
    () => generateToken(random, random.integer(5000, 9000)),
    () =>
      repeat(
        random.integer(1, 30),
        () => random.pick(['.', '..', '.hidden', 'From me', '--', '--=_x', 'x  ', 'y\t']),
        '\n',
      ),
    () => repeat(random.integer(60, 90), () => random.pick(['é ', 'e', ' ']), ''),
    () => `control \u0000\u0001\u000b\u001b\u007f end`,
    () => `${random.pick(WORDS)} lone surrogate \ud800 here`,
    () => repeat(random.integer(1, 300), () => '注文が発送されました。', random.pick(['', '\n'])),
  ];
  return random.pick(shapes)() + random.pick(['', '', '\n', ' ', '\r\n\r\n']);
}

function generateLines(random: SeededRandom, words: readonly [string, ...string[]], lineEnd: string): string {
  return repeat(
    random.integer(1, 40),
    () => repeat(random.integer(0, 20), () => random.pick(words), ' ') + random.pick(['', '', ' ', '\t']),
    lineEnd,
  );
}
