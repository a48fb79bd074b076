import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindAccount } from '../../packages/server/src/db/account-client.ts';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type ForgetfulPooler, startForgetfulPooler } from '../harness/forgetful-pooler.ts';
import { type TaggedPool, type TaggedQuery, tagged } from '../harness/tagged.ts';
import { startTestApp } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { openWithoutFirstWall } from '../harness/without-first-wall.ts';

const MINE = '00000000-0000-7000-8000-0000000000a1';
const THEIRS = '00000000-0000-7000-8000-0000000000b2';

describe('behind a pooler that drops startup parameters', () => {
  const afterwards = useCleanUps();
  let database: TestDatabase;
  let pooler: ForgetfulPooler;
  let pool: TaggedPool;
  beforeAll(async () => {
    database = await createTestDatabase();
    for (const id of [MINE, THEIRS])
      await database.sql`INSERT INTO accounts (id, name, created_at) VALUES (${id}, ${`Account ${id}`}, now())`;
    pooler = await startForgetfulPooler(database);
    const { target } = pooler.database;
    pool = tagged(
      openDatabase({
        ...{ target, maxConnections: 2, applicationName: 'tests', forAccounts: true, statementTimeoutMs: 8_000 },
      }),
    );
  });
  afterAll(async () => {
    await pool.end();
    await pooler.close();
    await database.drop();
  });

  it('a connection for accounts starts as the owner and without a limit, so that the test is meaningful', async () => {
    const [row] = await pool`SELECT current_user AS user, current_setting('statement_timeout') AS timeout`;
    expect(row).toEqual({ user: 'postrider', timeout: '0' });
    expect(await pool`SELECT id FROM accounts`).toHaveLength(2);
  });

  it('sets the role and the statement limits in every transaction of an account', {
    tags: ['holes.second-wall'],
  }, async () => {
    const mine = tagged(bindAccount(pool, MINE));
    const read = (query: TaggedQuery) => query`
      SELECT current_user AS user, current_setting('statement_timeout') AS timeout,
        current_setting('plan_cache_mode') AS plans, current_setting('TimeZone') AS zone`;
    const wanted = { user: 'postrider_app', timeout: '8s', plans: 'force_custom_plan', zone: 'UTC' };
    expect([...(await read(mine))]).toEqual([wanted]);
    expect([...(await mine.begin(async (tx) => await read(tx)))]).toEqual([wanted]);
    expect([...(await mine.begin('read only', async (tx) => await read(tx)))]).toEqual([wanted]);
  });

  it('shows and changes nothing of other accounts', { tags: ['holes.second-wall'] }, async () => {
    const mine = tagged(bindAccount(pool, MINE));
    expect([...(await mine`SELECT id FROM accounts`)]).toEqual([{ id: MINE }]);
    expect([...(await mine.begin(async (tx) => await tx`SELECT id FROM accounts`))]).toEqual([{ id: MINE }]);
    expect([...(await mine`UPDATE accounts SET name = 'mine' RETURNING id`)]).toEqual([{ id: MINE }]);
    const [theirs] = await database.sql`SELECT name FROM accounts WHERE id = ${THEIRS}`;
    expect(theirs).toEqual({ name: `Account ${THEIRS}` });
  });

  it('keeps accounts apart in requests that omit theirs', { tags: ['holes.second-wall'] }, async () => {
    const opened = await openWithoutFirstWall(pooler.database);
    afterwards(() => opened.close());
    const server = await startTestApp({ database: opened.database, settings: { POSTRIDER_ROLES: 'api' } });
    afterwards(() => server.close());
    const other = await server.newAccount();
    await Promise.all([1, 2, 3].map(() => server.send({}, { key: other.key })));
    const { body: sent } = await server.send();
    const { body } = await server.call('GET', '/emails');
    expect(body.messages.map(({ id }: { id: string }) => id)).toEqual([sent.id]);
    expect(opened.removed()).toBeGreaterThan(0);
  });
});
