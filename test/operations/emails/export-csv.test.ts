import { describe, expect, it } from 'vitest';
import { CELL_SEPARATOR, SEPARATORS } from '../../../packages/server/src/db/queries/export-messages.ts';
import { toCsv } from '../../../packages/server/src/operations/emails/export-csv.ts';
import { seededRandom } from '../../harness/seeded-random.ts';

describe('records as CSV', () => {
  it('are the same whether or not another record of the part needs an apostrophe', () => {
    const { pick, integer } = seededRandom('cells');
    const parts: [string, ...string[]] = [
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
    ];
    const formula = ['b', '=1'].join(CELL_SEPARATOR);
    for (let n = 0; n < 500; n += 1) {
      const records = Array.from({ length: integer(1, 5) }, () =>
        Array.from({ length: integer(1, 6) }, () => pick(parts) + pick(parts)).join(CELL_SEPARATOR),
      );
      const alone = toCsv(records.join(SEPARATORS.csv));
      expect(toCsv([formula, ...records].join(SEPARATORS.csv))).toBe(`b,'=1\n${alone}`);
    }
  });
});
