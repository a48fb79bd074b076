import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { openCollector } from '../../packages/server/src/heap.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts';
import { type TaggedPool, tagged } from '../harness/tagged.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

describe('a pool whose connections are lost', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database);
  });
  afterAll(async () => {
    await proxy.close();
    await database.drop();
  });

  const open = () =>
    tagged(openDatabase({ target: proxy.database.target, maxConnections: 1, applicationName: 'tests' }));

  /**
   * One query after the other, the next in the very moment in which the last one has failed: that is how the accept queue works, and
   * when the driver loses queries. Counts how many came back, and how.
   */
  async function askUntil(
    sql: TaggedPool,
    counts: { responded: number; failed: number },
    isOver: () => boolean,
  ): Promise<void> {
    while (!isOver()) {
      await sql`SELECT 1`.then(
        () => (counts.responded += 1),
        () => (counts.failed += 1),
      );
      // A database that is away refuses at once; asking on without a breath would starve what is to bring it back.
      if (counts.failed % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('settles every query, and works again as soon as the database does', async () => {
    const sql = open();
    const counts = { responded: 0, failed: 0 };
    let cycles = 0;
    const asking = askUntil(sql, counts, () => cycles === 8);
    const more = (what: 'responded' | 'failed', than: number) =>
      expect.poll(() => counts[what], { timeout: 10_000, interval: 5 }).toBeGreaterThan(than);
    for (; cycles < 8; cycles += 1) {
      await more('responded', counts.responded);
      await proxy.down();
      await more('failed', cycles);
      await proxy.up();
    }
    await asking;
    await expect
      .poll(() => sql`SELECT 1 AS one`.catch(() => null), { timeout: 5_000, interval: 20 })
      .toEqual([{ one: 1 }]);
    await sql.end();
  });

  it('continues with transactions, fragments and its own end', async () => {
    const sql = open();
    expect(await sql`SELECT 1 AS one ${sql`WHERE ${true}`}`).toHaveLength(1);
    await proxy.down();
    await expect(sql`SELECT 1`).rejects.toThrow();
    await proxy.up();
    await expect
      .poll(() => sql.begin((transaction) => transaction`SELECT 2 AS two`).catch(() => null), {
        timeout: 5_000,
        interval: 20,
      })
      .toEqual([{ two: 2 }]);
    const part = sql`WHERE ${true}`;
    expect(await sql`SELECT 3 AS three ${part}`).toEqual([{ three: 3 }]);
    expect(await sql.unsafe('SELECT $1::int AS four', [4])).toEqual([{ four: 4 }]);
    await sql.end({ timeout: 1 });
    await expect(sql`SELECT 1`).rejects.toThrow(/CONNECTION_ENDED/);
  });
});

describe('a transaction whose connection is lost', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let sql: TaggedPool;
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database);
    sql = tagged(openDatabase({ target: proxy.database.target, maxConnections: 1, applicationName: 'tests' }));
    process.on('uncaughtException', note);
  });
  afterAll(async () => {
    process.off('uncaughtException', note);
    await sql.end({ timeout: 1 });
    await proxy.close();
    await database.drop();
  });

  const responded = () => sql.run('SELECT 1').catch(() => []);
  const isLost = { code: 'CONNECTION_CLOSED' };

  it.each(['during a statement', 'between two statements'])(
    'fails, as do those that wait for the connection, and the process continues: %s',
    async (when) => {
      await expect.poll(responded, { timeout: 5_000 }).toHaveLength(1);
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const { promise: gone, resolve: goOn } = Promise.withResolvers<void>();
      const transaction = sql.begin(async (tx) => {
        await tx.run('SELECT 1');
        begin();
        if (when === 'during a statement') return await tx.run('SELECT pg_sleep(20)');
        await gone;
        return await tx.run('SELECT 2');
      });
      await begun;
      const waiting = [sql.run('SELECT 3'), sql.begin(async (tx) => await tx.run('SELECT 4'))];
      const ended = Promise.allSettled([transaction, ...waiting]);
      await pause(50); // The statement runs by then.
      await proxy.down();
      await pause(50); // The driver has noticed by then.
      goOn();
      await expect(transaction).rejects.toMatchObject(isLost);
      for (const { status } of await ended) expect(status).toBe('rejected');
      await proxy.up();
      await expect.poll(responded, { timeout: 5_000 }).toHaveLength(1);
      expect(unhandled).toEqual([]);
    },
  );
});

describe('a finished transaction', () => {
  let database: TestDatabase;
  let sql: TaggedPool;
  beforeAll(async () => {
    database = await createTestDatabase();
    sql = tagged(
      openDatabase({
        target: database.target,
        maxConnections: 1,
        applicationName: 'tests',
        deadlineMs: 10_000,
      }),
    );
  });
  afterAll(async () => {
    await sql.end();
    await database.drop();
  });

  it('retains no statements, although the driver remembers their call sites', async () => {
    const run = async () => {
      const content = Buffer.alloc(1_000_000);
      await sql.begin(async (transaction) => {
        await transaction`SELECT octet_length(${content}::bytea)`;
      });
      return new WeakRef(content);
    };
    const used = await run();
    const { collect } = openCollector();
    // The connection has its last statement until there is another one.
    await sql`SELECT 1`;
    await expect.poll(() => [collect(), used.deref() === undefined].at(1)).toBe(true);
  });
});
