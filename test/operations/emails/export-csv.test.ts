import { describe, expect, it } from 'vitest';
import { createCsvWriter } from '../../../packages/server/src/operations/emails/export-csv.ts';
import { seededRandom } from '../../harness/seeded-random.ts';
import { columnsOf, csvLines } from './csv-lines.ts';

const PARTS: [string, ...string[]] = [
  ...([
    'a',
    'order 7',
    '',
    'x;y',
    'one, two',
    'say "so"',
    'a|b',
    'line\nbreak',
    'a\tb',
    'ä€😀',
    "it's",
    'a-b@c',
    ' ',
  ] as const),
  ...([
    '=1',
    '+',
    '-',
    '@',
    "'",
    '"',
    ';',
    ',',
    '|',
    '\t',
    '\r',
    '\n',
    '\v',
    '\f',
    '＝',
    '＋',
    '－',
    '＠',
    '﹦',
    '﹢',
    '﹣',
    '﹫',
  ] as const),
  ...([
    '\u00a0',
    '\u1680',
    '\u2000',
    '\u200b',
    '\u200f',
    '\u2028',
    '\u2029',
    '\u202f',
    '\u205f',
    '\u2060',
    '\u3000',
  ] as const),
  ...(['\ufeff', '日本', 'привет', 'ｶﾅ', '€', '–'] as const),
];

describe('records as CSV', () => {
  it('are the same whether or not another record of the part needs an apostrophe', () => {
    const { pick, integer } = seededRandom('cells');
    for (let n = 0; n < 500; n += 1) {
      const records = Array.from({ length: integer(1, 5) }, () =>
        Array.from({ length: integer(1, 6) }, () => pick(PARTS) + pick(PARTS)),
      );
      expect(csvLines(['b', '=1'], ...records)).toBe(`b,'=1\n${csvLines(...records)}`);
    }
  });

  it('have the cells that their definition by patterns has', () => {
    const { pick, integer } = seededRandom('more cells');
    for (let n = 0; n < 20_000; n += 1) {
      const cells = Array.from({ length: 8 }, () => Array.from({ length: integer(0, 4) }, () => pick(PARTS)).join(''));
      expect(csvLines(cells)).toBe(cells.map(byPatterns).join(','));
    }
  });

  it('have room for cells that double in size', () => {
    const quotes = '"'.repeat(1_000);
    const cells = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? quotes : ',='.repeat(1_000)));
    expect(csvLines(cells, cells)).toBe([cells, cells].map((record) => record.map(byPatterns).join(',')).join('\n'));
  });

  it.each([
    '2000-01-01T00:00:00.000Z',
    '1999-12-31T23:59:59.999Z',
    '2026-02-28T23:59:59.009Z',
    '2028-02-29T09:08:07.060Z',
    '2038-01-19T03:14:08.100Z',
    '9999-12-31T23:59:59.999Z',
  ])('have the time %s to the millisecond', (time) => {
    const micros = BigInt(Date.parse(time) - Date.UTC(2000)) * 1_000n;
    for (const more of [0n, 999n]) {
      const line = Buffer.from(createCsvWriter()(1, columnsOf([['a']], micros + more))).toString();
      expect(line).toBe(`00000000-0000-0000-0000-000000000000,${time},a,,,,,,,\n`);
    }
  });
});

/** The definition of a cell: what could start a formula gets an apostrophe, then quotes by RFC 4180. */
function byPatterns(text: string): string {
  const formulaStart =
    /(^|[,;|\t\r\n])([ "\v\f\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]*)(?='*[=+\-@＝＋－＠﹦﹢﹣﹫])/g;
  const defused = text.replace(formulaStart, "$1$2'").replace(/^(?='*[\t\r\n])/, "'");
  return /[",;|\t\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}
