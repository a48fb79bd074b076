import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { classifyDatabaseError } from '../../packages/server/src/db/database-errors.ts';
import { insertRequests } from '../../packages/server/src/db/queries/request-log.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts';
import { tagged } from '../harness/tagged.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const DEADLINE_MS = 300;

describe('a pool with a deadline, on a database that stops responding', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database);
  });
  afterEach(() => proxy.up());
  afterAll(async () => {
    await proxy.close();
    await database.drop();
  });

  const open = (maxConnections = 2) =>
    tagged(
      openDatabase({
        target: proxy.database.target,
        maxConnections,
        applicationName: 'tests',
        deadlineMs: DEADLINE_MS,
      }),
    );

  const failure = (work: PromiseLike<unknown>) =>
    Promise.resolve(work).then(
      () => 'responded',
      (error: unknown) => classifyDatabaseError(error),
    );

  it('fails running and later statements, each in its time, and works again once the database does', async () => {
    const sql = open();
    await sql`SELECT 1`;
    proxy.silence();
    for (const _ of [1, 2, 3]) {
      const beganMs = performance.now();
      const asked = [sql`SELECT 1`, sql.unsafe('SELECT $1::int', [1]), sql`SELECT 1`.execute()];
      expect(await Promise.all(asked.map(failure))).toEqual(['unavailable', 'unavailable', 'unavailable']);
      expect(performance.now() - beganMs).toBeLessThan(DEADLINE_MS + 1_000);
    }
    await proxy.up();
    expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }]);
    await sql.end({ timeout: 1 });
  });

  it('with a long deadline waits for a slow statement, but not for a database that responds to nothing', async () => {
    const short = open();
    const long = tagged(
      openDatabase({
        target: proxy.database.target,
        maxConnections: 1,
        applicationName: 'tests',
        deadlineMs: 60_000,
        probe: () => short`SELECT 1`,
      }),
    );
    expect(await long`SELECT pg_sleep(1.5), 1 AS one`).toMatchObject([{ one: 1 }]);
    proxy.silence();
    const beganMs = performance.now();
    expect(await failure(long`SELECT 1`)).toBe('unavailable');
    expect(performance.now() - beganMs).toBeLessThan(2_000);
    await proxy.up();
    expect(await long`SELECT 2 AS two`).toEqual([{ two: 2 }]);
    await Promise.all([short.end({ timeout: 1 }), long.end({ timeout: 1 })]);
  });

  it('fails a transaction at any point', async () => {
    for (const silentAt of ['begin', 'statement', 'commit']) {
      const sql = open();
      await sql`SELECT 1`;
      const work = sql.begin(async (transaction) => {
        if (silentAt === 'statement') proxy.silence();
        await transaction`SELECT 1`;
        await transaction.unsafe('SELECT 1');
        if (silentAt === 'commit') proxy.silence();
      });
      if (silentAt === 'begin') proxy.silence();
      expect(await failure(work), silentAt).toBe('unavailable');
      await proxy.up();
      expect(await sql.begin((transaction) => transaction`SELECT 2 AS two`)).toEqual([{ two: 2 }]);
      await sql.end({ timeout: 1 });
    }
  });

  it('counts the statements of a transaction and not the time between them', async () => {
    const sql = open();
    const think = () => new Promise((resolve) => setTimeout(resolve, DEADLINE_MS * 2));
    const rows = await sql.begin(async (transaction) => {
      await transaction`SELECT 1`;
      await think();
      return await transaction`SELECT 3 AS three`;
    });
    expect(rows).toEqual([{ three: 3 }]);
    await sql.end({ timeout: 1 });
  });

  it('fails the statements of a reserved connection', async () => {
    const sql = open();
    await sql`SELECT 1`;
    const reserved = await sql.reserve();
    proxy.silence();
    expect(await failure(reserved.run('SELECT 1'))).toBe('unavailable');
    reserved.release();
    await sql.end({ timeout: 1 });
  });

  it('fails a COPY whose end is never confirmed, so that the request log continues after it', async () => {
    const sql = open(1);
    const entry = (id: string) => ({
      ...{ accountId: id, id, requestId: id, method: 'GET', path: '/', status: 200, code: null, durationMs: 1 },
      ...{ keyId: null, emailId: null, createdAt: new Date() },
    });
    // The row's trigger makes the silence fall between the last line and its confirmation.
    await database.sql.unsafe(`
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END $$;
      CREATE TRIGGER dawdle BEFORE INSERT ON request_log FOR EACH ROW EXECUTE FUNCTION dawdle()`);
    const writing = failure(insertRequests(sql, [entry('01936a2e-0000-7000-8000-000000000001')]));
    await expect
      .poll(
        () =>
          database.sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
        { interval: 5 },
      )
      .toHaveLength(1);
    await proxy.down();
    expect(await writing).toBe('unavailable');
    await proxy.up();
    await expect
      .poll(() => failure(insertRequests(sql, [entry('01936a2e-0000-7000-8000-000000000002')])))
      .toBe('responded');
    await sql.end({ timeout: 1 });
  });
});
