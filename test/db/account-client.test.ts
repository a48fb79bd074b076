import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindAccount } from '../../packages/server/src/db/account-client.ts';
import { runCancelable } from '../../packages/server/src/db/cancelable.ts';
import type { Query } from '../../packages/server/src/db/client.ts';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { startDatabaseProxy } from '../harness/database-proxy.ts';
import { type TaggedPool, type TaggedQuery, tagged } from '../harness/tagged.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const accountId = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const ME = accountId(1);

describe('a client that is bound to an account', () => {
  let database: TestDatabase;
  let pool: TaggedPool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = tagged(
      openDatabase({
        target: database.target,
        ...{ maxConnections: 3, applicationName: 'tests', forAccounts: true, deadlineMs: 15_000 }, // A busy machine is no silent database.
      }),
    );
    for (let n = 1; n <= 20; n += 1)
      await database.sql`INSERT INTO accounts (id, name, created_at) VALUES (${accountId(n)}, ${`Account ${n}`}, now())`;
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('never mixes accounts, however many share its connections', async () => {
    const responses = await Promise.all(
      Array.from({ length: 400 }, async (_, at) => {
        const own = accountId((at % 20) + 1);
        const sql = tagged(bindAccount(pool, own));
        if (at % 3 === 0) return { own, ids: await sql.begin(async (tx) => await tx`SELECT id FROM accounts`) };
        return { own, ids: await sql`SELECT id FROM accounts WHERE ${sql`name LIKE ${'Account %'}`}` };
      }),
    );
    for (const { own, ids } of responses) expect([...ids]).toEqual([{ id: own }]);
  });

  it('keeps the plan of a statement only if asked to', async () => {
    const sql = tagged(bindAccount(pool, ME));
    const mode = async (plan?: 'kept') => [
      ...(await sql.run('SHOW plan_cache_mode', [], plan === undefined ? undefined : { plan })),
    ];
    expect(await mode('kept')).toEqual([{ plan_cache_mode: 'force_generic_plan' }]);
    expect(await mode()).toEqual([{ plan_cache_mode: 'force_custom_plan' }]);
  });

  it('returns the bytes of values if asked to, alone and in a transaction', async () => {
    const sql = bindAccount(pool, ME);
    const raw = (query: Query) =>
      query.run<Buffer[]>('SELECT $1::int AS number, $2::text AS text', [7, 'ä'], { isRaw: true });
    for (const rows of [await raw(pool), await raw(sql), await sql.begin(raw)]) {
      expect(rows.columns.map(({ name }) => name)).toEqual(['number', 'text']);
      expect([...rows]).toEqual([[Buffer.from('7'), Buffer.from('ä')]]);
    }
  });

  it('has committed what it returns, and nothing of what failed', async () => {
    const sql = tagged(bindAccount(pool, ME));
    await sql`UPDATE accounts SET name = 'written'`;
    await expect(sql`UPDATE accounts SET name = 'x', created_at = ${null}`).rejects.toMatchObject({ code: '23502' });
    await expect(
      sql.begin(async (tx) => {
        await tx`UPDATE accounts SET name = 'half'`;
        throw new Error('no further');
      }),
    ).rejects.toThrow('no further');
    await expect(
      sql.begin(async (tx) => {
        await tx`UPDATE accounts SET name = 'half'`;
        await tx`SELECT 1 / 0`.catch(() => undefined);
        return 'done';
      }),
    ).rejects.toThrow('rolled back');
    const [row] = await database.sql`SELECT name FROM accounts WHERE id = ${ME}`;
    expect(row).toEqual({ name: 'written' });
  });

  it('begins transactions on request, and cancels what runs in them', async () => {
    const sql = tagged(bindAccount(pool, ME));
    await expect(sql.begin('read only', async (tx) => await tx`UPDATE accounts SET name = 'x'`)).rejects.toMatchObject({
      code: '25006',
    });
    for (const sleep of [
      (query: TaggedQuery) => query`SELECT pg_sleep(20)`,
      (query: TaggedQuery) => query.unsafe('SELECT pg_sleep(20)'),
    ]) {
      const gone = new AbortController();
      const slow = runCancelable(sql, gone.signal, async (query) => await sleep(tagged(query)));
      setImmediate(() => gone.abort(new Error('gone')));
      await expect(slow).rejects.toThrow();
    }
    expect(await sql`SELECT 1 AS one`).toHaveLength(1);
  });

  it('sends nothing for a finished transaction: its connection may already belong to another account', async () => {
    const mine = tagged(bindAccount(pool, ME));
    let late: (() => PromiseLike<unknown>)[] = [];
    const failed = (error: unknown) => Promise.reject(error);
    const failing = mine.begin(async (tx) => {
      // Written in time, and asked for when it is too late.
      const written = tx`UPDATE accounts SET name = 'late'`;
      const caught = tx`UPDATE accounts SET name = 'late'`;
      late = [
        () => tx`UPDATE accounts SET name = 'late' RETURNING id`,
        () => tx.unsafe('SELECT id FROM accounts'),
        () => written,
        () => caught.catch(failed),
      ];
      throw new Error('one branch failed');
    });
    await expect(failing).rejects.toThrow('one branch failed');
    // All connections work for someone else now, the one that was given back among them.
    const others = Promise.withResolvers<void>();
    const { promise: allBegun, resolve: lastBegun } = Promise.withResolvers<void>();
    let began = 0;
    const theirs = Promise.all(
      [2, 3, 4].map((n) =>
        tagged(bindAccount(pool, accountId(n))).begin(async (tx) => {
          await tx`SELECT 1`;
          began += 1;
          if (began === 3) lastBegun();
          await others.promise;
        }),
      ),
    );
    await allBegun;
    const responses = await Promise.allSettled(late.map(async (send) => await send()));
    others.resolve();
    await theirs;
    expect(responses.map(({ status }) => status)).toEqual(late.map(() => 'rejected'));
    expect(await database.sql`SELECT id FROM accounts WHERE name = 'late'`).toHaveLength(0);
  });

  it('leaves connections for other accounts, however many transactions one account runs in parallel', async () => {
    const busy = tagged(bindAccount(pool, ME, { transactionsAtOnce: 2 }));
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const work = Array.from({ length: 10 }, async (_, n) => {
      return await busy.begin(async (tx) => {
        await over;
        return (await tx`SELECT ${n}::int AS n`)[0]?.['n'];
      });
    });
    expect([...(await tagged(bindAccount(pool, accountId(2)))`SELECT id FROM accounts`)]).toEqual([
      { id: accountId(2) },
    ]);
    end();
    expect(await Promise.all(work)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await expect(busy.begin(async () => Promise.reject(new Error('own')))).rejects.toThrow('own');
    expect(await busy.begin(async (tx) => await tx`SELECT 1`)).toHaveLength(1);
  });

  it('offers no way around the account', async () => {
    const sql = bindAccount(pool, ME);
    for (const way of ['reserve', 'runOnConnection', 'copyIn', 'end', 'listen']) expect(sql).not.toHaveProperty(way);
    const sent = sql.run('SELECT 1');
    for (const way of ['cursor', 'values', 'raw', 'simple', 'describe', 'cancel']) expect(sent).not.toHaveProperty(way);
    await sent;
    expect(() => tagged(bindAccount(pool, `${ME}'; RESET ROLE; --`))).toThrow('cannot be bound');
  });

  it('fails immediately when its database is down, and works again when it is back', async () => {
    const proxy = await startDatabaseProxy(database);
    const target = proxy.database.target;
    const far = tagged(
      openDatabase({
        target,
        maxConnections: 2,
        applicationName: 'tests',
        forAccounts: true,
        deadlineMs: 800,
      }),
    );
    const sql = tagged(bindAccount(far, ME, { transactionsAtOnce: 1 }));
    expect(await sql`SELECT 1 AS one`).toHaveLength(1);
    await proxy.down();
    await expect(sql`SELECT 1 AS one`).rejects.toThrow();
    await proxy.up();
    await expect
      .poll(
        () =>
          sql`SELECT 1 AS one`.then(
            (rows) => rows.length,
            () => 0,
          ),
        { timeout: 5_000 },
      )
      .toBe(1);
    proxy.silence();
    const began = performance.now();
    // The queued ones are rejected together with the running one.
    const begin = () => sql.begin(async (tx) => await tx`SELECT 1`);
    for (const outcome of await Promise.allSettled([sql`SELECT 1`, begin(), begin(), begin()]))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'DATABASE_SILENT' } });
    expect(performance.now() - began).toBeLessThan(2_000);
    await proxy.up();
    await expect
      .poll(
        () =>
          sql`SELECT 1 AS one`.then(
            (rows) => rows.length,
            () => 0,
          ),
        { timeout: 5_000 },
      )
      .toBe(1);
    await far.end({ timeout: 1 });
    await proxy.close();
  });
});
