import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase, type Pool } from '../../packages/server/src/db/client.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const CANCELED = { code: '57014' };
const SLEEP = 'SELECT pg_sleep(20)';

describe('a statement that is canceled', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database);
    pool = openDatabase({
      target: proxy.database.target,
      ...{ maxConnections: 1, applicationName: 'canceling', deadlineMs: 10_000 },
    });
    await pool.run('SELECT 1');
  });
  afterAll(async () => {
    await pool.end({ timeout: 1 });
    await proxy.close();
    await database.drop();
  });

  it('ends while it runs, and leaves its connection to others', async () => {
    const gone = new AbortController();
    const slow = pool.begin(async (tx) => await tx.until(gone.signal).run(SLEEP, []));
    await expect.poll(async () => await countSleeping(database)).toBe(1);
    gone.abort();
    await expect(slow).rejects.toMatchObject(CANCELED);
    expect(await pool.run('SELECT 1')).toHaveLength(1);
  });

  it('ends when the cancel request reaches the server before the statement does', async () => {
    const gone = new AbortController();
    const slow = pool.begin(async (tx) => {
      await tx.run('SELECT 1');
      proxy.delay(200);
      const sent = tx.until(gone.signal).run(SLEEP, []);
      await pause(20);
      gone.abort();
      return await sent;
    });
    await expect(slow).rejects.toMatchObject(CANCELED);
    await proxy.up();
  });

  it('ends when it is canceled immediately, and its transaction is rolled back', async () => {
    const began = performance.now();
    const gone = new AbortController();
    const slow = pool.begin(async (tx) => {
      await tx.run('SELECT 1');
      const sent = tx.until(gone.signal).run(SLEEP, []);
      gone.abort();
      return await sent;
    });
    await expect(slow).rejects.toMatchObject(CANCELED);
    expect(await pool.run('SELECT 1')).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('ends behind BEGIN, and gives its error to no other statement', async () => {
    const began = performance.now();
    const gone = new AbortController();
    let settled: readonly unknown[] = [];
    const both = pool.begin(async (tx) => {
      const sent = [tx.until(gone.signal).run(SLEEP, []), tx.run('SELECT 2 AS two', [])];
      setImmediate(() => gone.abort());
      settled = await Promise.allSettled(sent);
    });
    await expect(both).rejects.toThrow('rolled back');
    const inFailedTransaction = { code: '25P02' };
    expect(settled).toMatchObject([{ reason: CANCELED }, { reason: inFailedTransaction }]);
    expect(await pool.run('SELECT 1')).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('reports only that the database is down when the cancel request cannot be sent', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const gone = new AbortController();
    const slow = pool.begin(async (tx) => await tx.until(gone.signal).run(SLEEP, []));
    await expect.poll(async () => await countSleeping(database)).toBe(1);
    const down = proxy.down();
    gone.abort();
    await expect(slow).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await down;
    await pause(100);
    expect(unhandled).toEqual([]);
    await proxy.up();
    await expect.poll(async () => (await pool.run('SELECT 1').catch(() => [])).length, { timeout: 5_000 }).toBe(1);
  });
});

async function countSleeping({ sql }: TestDatabase): Promise<number> {
  const { count } = await sql.run(
    "SELECT FROM pg_stat_activity WHERE application_name = 'canceling' AND state = 'active' AND query = $1",
    [SLEEP],
  );
  return count;
}
