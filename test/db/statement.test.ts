import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builder, named } from '../../packages/server/src/db/builder.ts';
import type { Query } from '../../packages/server/src/db/client.ts';
import { and, eq, sql } from '../../packages/server/src/db/drizzle.ts';
import { type Built, returning } from '../../packages/server/src/db/result.ts';
import { accounts } from '../../packages/server/src/db/schema/accounts.ts';
import { suppressions } from '../../packages/server/src/db/schema/suppressions.ts';
import { DEFINED, defineStatement, optional } from '../../packages/server/src/db/statement.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const MINE = '00000000-0000-7000-8000-0000000000a1';
const THEIRS = '00000000-0000-7000-8000-0000000000b2';
const ENTRY = '00000000-0000-7000-8000-0000000000e1';

/** Defines a statement, and removes it from DEFINED: other tests share that list, which contains only the product's statements. */
const defineUnlisted: typeof defineStatement = (parameters, build) => {
  const statement = defineStatement(parameters, build);
  DEFINED.pop();
  return statement;
};

/** A statement that runs once. */
async function run<Result>(query: Query, built: Built<Result>) {
  return await defineUnlisted({}, () => built)(query, {});
}

const readNames = defineUnlisted({}, () => builder.select(named({ name: accounts.name })).from(accounts));

describe('a statement of the query builder', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    const { sql } = database;
    const createdAt = new Date('2026-01-31T09:00:00Z');
    const rows = [
      { id: MINE, name: 'Mine', createdAt },
      { id: THEIRS, name: 'Theirs', createdAt },
    ];
    await run(sql, builder.insert(accounts).values(rows));
    const entry = { id: ENTRY, email: 'a@example.org', reason: 'manual', createdAt } as const;
    await run(sql, builder.insert(suppressions).values({ ...entry, accountId: MINE }));
  });
  afterAll(() => database.drop());

  it('sees the rows of the account that its connection is bound to, and no others', async () => {
    expect(await readNames(database.sql, {})).toHaveLength(2);
    expect([...(await readNames(database.bound(MINE), {}))]).toEqual([{ name: 'Mine' }]);
    const inTransaction = await database.bound(THEIRS).begin(async (transaction) => ({
      read: [...(await readNames(transaction, {}))],
      changed: await run(
        transaction,
        builder
          .update(accounts)
          .set({ name: 'Taken' })
          .returning(named({ id: accounts.id })),
      ),
    }));
    expect(inTransaction).toEqual({ read: [{ name: 'Theirs' }], changed: [{ id: THEIRS }] });
  });

  it('keeps columns of the same name apart, and returns null for what a left join does not find', async () => {
    const joined = builder
      .select(named({ account: accounts.id, entry: suppressions.id, createdAt: suppressions.createdAt }))
      .from(accounts)
      .leftJoin(suppressions, eq(suppressions.accountId, accounts.id))
      .orderBy(accounts.id);
    expect([...(await run(database.sql, joined))]).toEqual([
      { account: MINE, entry: ENTRY, createdAt: new Date('2026-01-31T09:00:00Z') },
      { account: THEIRS, entry: null, createdAt: null },
    ]);
  });

  it('is rejected when the rows would not have the names of their type', async () => {
    const { sql } = database;
    const unnamed = builder.select({ createdAt: accounts.createdAt }).from(accounts);
    await expect(run(sql, unnamed)).rejects.toThrow('named({ … }) around the fields createdAt');
    const returning = builder.delete(suppressions).where(eq(suppressions.id, MINE)).returning();
    await expect(run(sql, returning)).rejects.toThrow('named({ … })');
    const misnamed = builder.select({ at: named({ createdAt: accounts.createdAt }).createdAt }).from(accounts);
    await expect(run(sql, misnamed)).rejects.toThrow('named({ … })');
  });

  it('is rejected when it is awaited directly, bypassing the caller’s connection', async () => {
    await expect(builder.select().from(accounts)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('it cannot be awaited') },
    });
  });

  it('is built once, and again for each set of optional parameters', async () => {
    let times = 0;
    const readOne = defineUnlisted({ id: accounts.id, name: optional(accounts.name) }, ({ id, name }) => {
      times += 1;
      return builder
        .select(named({ name: accounts.name }))
        .from(accounts)
        .where(and(eq(accounts.id, id), name && eq(accounts.name, name)));
    });
    const names = async (id: string, name: string | null) =>
      (await readOne(database.sql, { id, name })).map((row) => row.name);
    expect(await names(MINE, null)).toEqual(['Mine']);
    expect(await names(ENTRY, null)).toEqual([]);
    expect(times).toBe(1);
    expect(await names(MINE, 'Mine')).toEqual(['Mine']);
    expect(await names(MINE, 'Other')).toEqual([]);
    expect(await names(MINE, null)).toEqual(['Mine']);
    expect(times).toBe(2);
  });

  it('sends a value once, however often the statement uses it', async () => {
    const read = defineStatement({ id: accounts.id, name: accounts.name }, ({ id, name }) =>
      returning(
        { id: accounts.id, name: accounts.name },
        sql`SELECT id, ${name}::text AS name FROM accounts WHERE ${name} = ${name} AND id = ${id} AND ${id} = id AND 1 = ${1}::int`,
      ),
    );
    const shapesOf = DEFINED.pop();
    expect(await read(database.sql, { id: MINE, name: 'Again' })).toEqual([{ id: MINE, name: 'Again' }]);
    const shape = shapesOf?.().at(0);
    expect(shape?.params).toHaveLength(3);
    expect(shape?.sql.match(/\$\d/g)).toEqual(['$1', '$1', '$1', '$2', '$2', '$3']);
  });
});
