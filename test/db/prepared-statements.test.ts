import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builder } from '../../packages/server/src/db/builder.ts';
import { sql } from '../../packages/server/src/db/drizzle.ts';
import {
  allowsNull,
  executing,
  narrowed,
  nullable,
  pg,
  present,
  returning,
  sqlTypeOf,
} from '../../packages/server/src/db/result.ts';
import { accounts } from '../../packages/server/src/db/schema/accounts.ts';
import { suppressions } from '../../packages/server/src/db/schema/suppressions.ts';
import { DEFINED, type DefinedShape, defineStatement } from '../../packages/server/src/db/statement.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const QUERIES = path.resolve(import.meta.dirname, '../../packages/server/src/db/queries');

describe('every defined statement', () => {
  let database: TestDatabase;
  let driver: Sql;
  beforeAll(async () => {
    for (const file of await readdir(QUERIES)) await import(path.join(QUERIES, file));
    database = await createTestDatabase();
    const { target } = database;
    if (target.kind !== 'socket') throw new Error('The test database is reached over a socket.');
    driver = postgres({ host: target.host, database: target.database, user: target.user, max: 1 });
  });
  afterAll(async () => {
    await driver.end();
    await database.drop();
  });

  it('can be prepared on the migrated database, and returns the names, types and nullability it declares', async () => {
    expect(DEFINED.length).toBeGreaterThan(400);
    const { shapes, faults } = build(DEFINED);
    expect(shapes.length).toBeGreaterThan(750);
    const catalog = await readCatalog(database);
    for (const shape of shapes) faults.push(...(await faultsOf(driver, shape, catalog)));
    expect(faults).toEqual([]);
  });

  it('checks with is_sendable which domains may send, and lists no states itself', () => {
    const texts = build(DEFINED).shapes.map(({ sql: text }) => text);
    expect(texts.filter((text) => text.includes("'degraded'"))).toEqual([]);
    expect(texts.filter((text) => text.includes('is_sendable(')).length).toBeGreaterThan(4);
  });

  it('gets the columns of records and arrays from the tables, and lists none by hand', async () => {
    const texts = build(DEFINED).shapes.map(({ sql: text }) => text.replaceAll(/\s+/g, ' '));
    const records = texts.filter((text) => text.includes('_to_recordset('));
    expect(records.length).toBeGreaterThan(40);
    // Only those of recordColumns are in quotes.
    expect(records.filter((text) => /_to_recordset\([^()]*\) AS (?:\w+ )?\((?!")/.test(text))).toEqual([]);
    for (const file of await readdir(QUERIES)) {
      const source = await readFile(path.join(QUERIES, file), 'utf8');
      expect(
        source.match(/\bunnest\(\$\{\w+\}::.*/g),
        `${file} has an unnest that db/record-columns.ts should write`,
      ).toBeNull();
    }
  });

  it.each([
    ['a name that is not returned', { name: accounts.name }, 'declares name, which it does not return'],
    ['another type', { id: pg.int4 }, 'id is uuid, declared as integer'],
    ['no null where the column has some', { id: pg.uuid, note: pg.text }, 'note may be null'],
    ['a missing field', {}, 'returns id, which it does not declare'],
  ])('would be found with %s', async (_what, fields, fault) => {
    const statement = returning(fields, sql`SELECT id, note FROM suppressions`);
    const shape = { ...statement.toSQL(), fields, isWhole: true };
    const faults = await faultsOf(driver, shape, await readCatalog(database));
    expect(faults.join()).toContain(fault);
  });

  it('would be found with fields that it does not name', () => {
    const unnamed = builder.select({ createdAt: accounts.createdAt }).from(accounts);
    defineStatement({}, () => unnamed);
    const { shapes, faults } = build(DEFINED.splice(-1));
    expect(shapes).toEqual([]);
    expect(faults).toEqual([expect.stringContaining('named({ … }) around the fields createdAt')]);
  });

  it('may be more specific about a field than its column', async () => {
    const fields = {
      id: nullable(suppressions.id),
      note: present(suppressions.note),
      reason: narrowed<'manual'>(pg.text),
    };
    const read = returning(
      fields,
      sql`SELECT s.id, n.note, n.reason FROM suppressions n LEFT JOIN suppressions s ON s.id = n.email_id
        WHERE n.note IS NOT NULL AND n.reason = 'manual'`,
    );
    const catalog = await readCatalog(database);
    expect(await faultsOf(driver, { ...read.toSQL(), fields, isWhole: true }, catalog)).toEqual([]);
    const write = executing(sql`DELETE FROM suppressions`);
    expect(await faultsOf(driver, { ...write.toSQL(), fields: {}, isWhole: true }, catalog)).toEqual([]);
  });
});

/** All texts of the statements, with the errors of those that cannot be built. */
function build(statements: typeof DEFINED): { readonly shapes: DefinedShape[]; readonly faults: string[] } {
  const shapes: DefinedShape[] = [];
  const faults: string[] = [];
  for (const shapesOf of statements) {
    try {
      shapes.push(...shapesOf());
    } catch (error) {
      faults.push(`A statement cannot be built: ${String(error)}`);
    }
  }
  return { shapes, faults };
}

type Columns = readonly {
  readonly name: string;
  readonly table: number;
  readonly number: number;
  readonly type: number;
}[];

/** What the catalog knows of types and columns, read once. */
interface Catalog {
  /** The columns that are NOT NULL, as `<oid of the table>.<number>`. */
  readonly notNull: ReadonlySet<string>;
  readonly types: ReadonlyMap<number, string>;
}

async function readCatalog({ sql: query }: TestDatabase): Promise<Catalog> {
  const columns = await query<{ name: string }[]>`
    SELECT attrelid || '.' || attnum AS name FROM pg_attribute WHERE attnotnull AND attnum > 0`;
  const types = await query<
    { oid: number; name: string }[]
  >`SELECT oid::int, format_type(oid, NULL) AS name FROM pg_type`;
  return {
    notNull: new Set(columns.map(({ name }) => name)),
    types: new Map(types.map(({ oid, name }) => [oid, name])),
  };
}

async function faultsOf(driver: Sql, shape: DefinedShape, catalog: Catalog): Promise<string[]> {
  const title = shape.sql.trim().replaceAll(/\s+/g, ' ').slice(0, 120);
  try {
    const { columns } = await driver.unsafe(shape.sql, [], { prepare: true }).describe();
    return compare(shape, columns, catalog).map((fault) => `${title}: ${fault}`);
  } catch (error) {
    return [`${title}: ${String(error)}`];
  }
}

function compare({ fields, isWhole }: DefinedShape, columns: Columns, { notNull, types }: Catalog): string[] {
  const returned = new Set(columns.map(({ name }) => name));
  const missing = Object.keys(fields).filter((name) => !returned.has(name));
  const wrong = columns.flatMap(({ name, table, number, type }) => {
    const field = fields[name];
    if (field === undefined) return isWhole ? [`returns ${name}, which it does not declare`] : [];
    const isSureColumn = table === 0 || notNull.has(`${table}.${number}`);
    return [
      ...(sqlTypeOf(field) === types.get(type)
        ? []
        : [`${name} is ${types.get(type)}, declared as ${sqlTypeOf(field)}`]),
      ...(isSureColumn || allowsNull(field) ? [] : [`${name} may be null`]),
    ];
  });
  return [...missing.map((name) => `declares ${name}, which it does not return`), ...wrong];
}
