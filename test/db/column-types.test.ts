import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  boolean,
  doublePrecision,
  getTableConfig,
  integer,
  pgTable,
  smallint,
  text,
  uuid,
} from '../../packages/server/src/db/drizzle.ts';
import {
  bits,
  bytea,
  date,
  int8,
  int8Array,
  json,
  jsonb,
  smallintArray,
  textArray,
  timestamptz,
  timestamptzArray,
  uuidArray,
  xid8,
} from '../../packages/server/src/db/schema/column-types.ts';
import { TABLES } from '../../packages/server/src/db/schema/tables.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/** A column of each type that the tables have. */
const samples = pgTable('samples', {
  uuid: uuid('uuid').notNull(),
  text: text('text').notNull(),
  integer: integer('integer').notNull(),
  smallint: smallint('smallint').notNull(),
  boolean: boolean('boolean').notNull(),
  doublePrecision: doublePrecision('double_precision').notNull(),
  bytea: bytea('bytea').notNull(),
  timestamptz: timestamptz('timestamptz').notNull(),
  date: date('date').notNull(),
  int8: int8('int8').notNull(),
  xid8: xid8('xid8').notNull(),
  json: json<{ readonly b: number; readonly a: readonly string[] }>('json').notNull(),
  jsonb: jsonb<{ readonly b: number; readonly a: readonly string[] }>('jsonb').notNull(),
  textArray: textArray('text_array').notNull(),
  uuidArray: uuidArray('uuid_array').notNull(),
  smallintArray: smallintArray('smallint_array').notNull(),
  int8Array: int8Array('int8_array').notNull(),
  timestamptzArray: timestamptzArray('timestamptz_array').notNull(),
  bits: bits('bits').notNull(),
});

const ID = '00000000-0000-7000-8000-0000000000a1';

/** `tsc` compares these values with the types of the columns, and the test with the driver. */
const VALUES: typeof samples.$inferSelect = {
  uuid: ID,
  text: 'ä',
  integer: -2,
  smallint: 3,
  boolean: true,
  doublePrecision: 0.5,
  bytea: Buffer.from([0, 255]),
  timestamptz: new Date('2026-01-31T09:00:00.123Z'),
  date: new Date('2026-01-31T00:00:00Z'),
  int8: '9007199254740993',
  xid8: '9007199254740993',
  json: { b: 1, a: ['x'] },
  jsonb: { b: 1, a: ['x'] },
  textArray: ['a', '"b", {c}'],
  uuidArray: [ID],
  smallintArray: [1, 2],
  int8Array: '{1,9007199254740993}',
  timestamptzArray: '{"2026-01-31 09:00:00+00"}',
  bits: '10'.repeat(32_768),
};

describe('the types of columns', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('are what the driver writes and reads', async () => {
    const { columns } = getTableConfig(samples);
    const selection = columns.map((column, n) => `$${n + 1}::${column.getSQLType()} AS "${column.name}"`);
    // As db/run-query.ts sends them: each value as the column's type encodes it.
    const given = Object.entries(samples).flatMap(([name, column]) => {
      const value: unknown = Reflect.get(VALUES, name);
      return value === undefined ? [] : [column.mapToDriverValue(value)];
    });
    const [row] = await database.sql.run(`SELECT ${selection.join(', ')}`, given);
    const expected = columns.map(({ name }, n) => [name, Object.values(VALUES)[n]]);
    expect(row).toEqual(Object.fromEntries(expected));
  });

  it('cover every column of the tables', () => {
    const sampled = new Set(getTableConfig(samples).columns.map((column) => column.getSQLType()));
    const used = TABLES.flatMap((table) => getTableConfig(table).columns.map((column) => column.getSQLType()));
    expect(used.filter((type) => !sampled.has(type))).toEqual([]);
  });
});
