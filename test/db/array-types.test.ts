import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatArray, parseArray } from '../../packages/server/src/db/array-types.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const STRINGS = [
  '',
  ' ',
  'a',
  'NULL',
  'null',
  'a,b',
  '{}',
  '}{',
  '"',
  '""',
  '\\',
  '\\"',
  'a\nb',
  '\\n',
  '\\\n"',
  '\u0001\u007f\u2028',
  '\t',
  'Zoë 你好 😀',
  "'",
  '$1',
  '{"a":1}',
];
const IDS = ['01936a2e-0000-7000-8000-000000000000', '01936a2e-0000-7000-8000-000000000001'];

describe('arrays to and from the database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('return as they were sent, whatever they contain', async () => {
    const { sql } = database;
    for (const texts of [STRINGS, [], ...STRINGS.map((text) => [text])]) {
      const [row] = await sql`SELECT ${texts}::text[] AS texts, cardinality(${texts}::text[]) AS count`;
      expect(row).toEqual({ texts, count: texts.length });
    }
    const [row] = await sql`
      SELECT ${IDS}::uuid[] AS uuids, ${[1, -2, 32_767]}::smallint[] AS smallints, ${[0, 2_147_483_647]}::int[] AS integers,
        ${['a', null]}::text[] AS nulls, '{}'::uuid[] AS none`;
    expect(row).toEqual({
      uuids: IDS,
      smallints: [1, -2, 32_767],
      integers: [0, 2_147_483_647],
      nulls: ['a', null],
      none: [],
    });
  });

  it('are written so that no element can be read as syntax', () => {
    expect(formatArray(['a,b', '"', '\\', null, 5])).toBe('{"a,b","\\"","\\\\",null,"5"}');
    expect(formatArray(['a\n"', '\\n', null])).toBe('{"a\n\\"","\\\\n",NULL}');
    expect(parseArray('{a,"b,c",NULL,"NULL","\\"\\\\"}')).toEqual(['a', 'b,c', null, 'NULL', '"\\']);
    expect(parseArray('{}')).toEqual([]);
  });
});
