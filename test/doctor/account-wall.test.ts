import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPreparedDatabase } from '../../packages/server/src/commands/prepared-database.ts';
import { runServer } from '../../packages/server/src/commands/run-server.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { migrate } from '../../packages/server/src/db/migrate.ts';
import { ensurePartitions } from '../../packages/server/src/db/queries/partitions.ts';
import { checkAccountWall, examineAccountWall } from '../../packages/server/src/doctor/check-account-wall.ts';
import { checkIsolation, judgeConnections } from '../../packages/server/src/doctor/judge-account-wall.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startForgetfulPooler, USUALLY_IGNORED } from '../harness/forgetful-pooler.ts';
import { databaseEnvironment } from '../harness/server-process.ts';
import { type TaggedPool, tagged } from '../harness/tagged.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

describe('the check of the isolation between accounts', () => {
  const afterwards = useCleanUps();
  let database: TestDatabase;
  let target: DatabaseTarget;
  beforeAll(async () => {
    database = await createTestDatabase();
    target = database.target;
  });
  afterAll(() => database.drop());

  const faultsOf = async (at: DatabaseTarget = target) =>
    (await examineAccountWall(at)).faults.map(({ message, fix }) => `${message} ${fix}`).join('\n');

  /** As ALTER ROLE does for every database; other tests run beside this one. */
  async function setForUser(setting: string): Promise<void> {
    const [{ name } = { name: '' }] = await database.sql<{ name: string }[]>`SELECT current_database() AS name`;
    const user = `ALTER ROLE CURRENT_USER IN DATABASE ${name}`;
    await database.sql.unsafe(`${user} SET ${setting}`);
    afterwards(async () => void (await database.sql.unsafe(`${user} RESET ALL`)));
  }

  it('finds nothing wrong on a freshly migrated database, even when the owner is a superuser', async () => {
    expect(await checkAccountWall(target)).toMatchObject({ name: 'account-wall', status: 'pass' });
  });

  it('names the settings that a pooler dropped, and how to set them for the user', {
    tags: ['holes.second-wall'],
  }, async () => {
    const pooler = await startForgetfulPooler(database, [...USUALLY_IGNORED, 'TimeZone']);
    afterwards(() => pooler.close());
    await setForUser("timezone = 'Asia/Tokyo'");
    const said = await faultsOf(pooler.database.target);
    expect(said).toContain('statement_timeout is not set on the connections api, sends, rates');
    expect(said).toContain("ALTER ROLE postrider SET statement_timeout = '30000ms';");
    expect(said).toContain('TimeZone is Asia/Tokyo on the connections api, sends, rates');
    // The transactions of accounts set their own.
    expect(said).not.toContain('reads');
  });

  it('prevents a start behind such a pooler, and fails the doctor', { tags: ['holes.second-wall'] }, async () => {
    const pooler = await startForgetfulPooler(database);
    afterwards(() => pooler.close());
    const { DATABASE_URL, PGUSER } = databaseEnvironment(database);
    if (pooler.database.target.kind !== 'socket') throw new Error('tests reach their database over a socket');
    vi.stubEnv('PGHOST', pooler.database.target.host);
    vi.stubEnv('PGUSER', PGUSER);
    afterwards(() => vi.unstubAllEnvs());
    const dataDir = await mkdtemp(join(tmpdir(), 'postrider-wall-'));
    afterwards(() => rm(dataDir, { recursive: true, force: true }));
    const environment = { DATABASE_URL, POSTRIDER_DATA_DIR: dataDir, POSTRIDER_DNS_SERVERS: '127.0.0.1:1' };
    const verdict = readConfig(environment);
    if (!verdict.ok) throw new Error('the settings are right');
    await expect(openPreparedDatabase(verdict.config, { onProgress: () => undefined })).rejects.toMatchObject({
      message: expect.stringContaining('statement_timeout is not set'),
      fix: expect.stringContaining('ALTER ROLE postrider SET statement_timeout'),
    });
    let printed = '';
    const write = (text: string) => {
      printed += text;
    };
    const code = await runServer(['doctor'], { environment, write, writeError: write, progress: () => undefined });
    expect(code).toBe(1);
    expect(printed).toMatch(/^fail {2}account-wall +statement_timeout is not set/m);
  });

  it('accepts a pooler once the user has the settings, and warns about plans', {
    tags: ['holes.second-wall'],
  }, async () => {
    const pooler = await startForgetfulPooler(database);
    afterwards(() => pooler.close());
    await setForUser("statement_timeout = '30000ms'");
    expect(await checkAccountWall(pooler.database.target)).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(/^plan_cache_mode is auto on the connections api, sends, rates/),
      fix: expect.stringContaining('SET plan_cache_mode = force_custom_plan'),
    });
    await setForUser('plan_cache_mode = force_custom_plan');
    expect(await checkAccountWall(pooler.database.target)).toMatchObject({ status: 'pass' });
  });

  it.each([
    ['row-level security is off', 'ALTER TABLE messages DISABLE ROW LEVEL SECURITY', 'messages'],
    ['it is not forced on the owner', 'ALTER TABLE messages NO FORCE ROW LEVEL SECURITY', 'messages'],
    ['the policy is missing', 'DROP POLICY own_account ON suppressions', 'suppressions'],
    ['a second policy shows more', 'CREATE POLICY more ON suppressions USING (true)', 'suppressions'],
    ['the policy shows all', 'ALTER POLICY own_account ON accounts USING (true)', 'accounts'],
    ['requests may read a partition', 'GRANT SELECT ON messages_other TO postrider_app', 'messages_other'],
  ])('names the table when %s', { tags: ['holes.second-wall'] }, async (_, statement, table) => {
    const other = await createTestDatabase();
    afterwards(() => other.drop());
    await other.sql.unsafe(statement);
    expect(await faultsOf(other.target)).toContain(`Row-level security is wrong on ${table}:`);
  });
});

describe('the role of requests', () => {
  const afterwards = useCleanUps();
  let database: TestDatabase;
  let sql: TaggedPool;
  let target: DatabaseTarget;
  let user: string;
  beforeEach(async () => {
    database = await createTestDatabase();
    if (database.target.kind !== 'socket') throw new Error('tests reach their database over a socket');
    user = `owner_${database.target.database}`;
    await database.sql.unsafe(`CREATE ROLE ${user} LOGIN`);
    await database.sql.unsafe(`GRANT postrider_app, postrider_system TO ${user}`);
    await database.sql.unsafe(`CREATE DATABASE ${user} OWNER ${user}`);
    target = { ...database.target, user, database: user };
    sql = tagged(openDatabase({ target, maxConnections: 1, applicationName: 'tests' }));
    await migrate(sql);
    await ensurePartitions(sql, new Date());
    afterwards(async () => {
      await sql.end({ timeout: 1 });
      await database.sql.unsafe(`DROP DATABASE ${user} WITH (FORCE)`);
      await database.sql.unsafe(`DROP ROLE ${user}`);
      await database.drop();
    });
  });

  it('is right for an ordinary owner, and reported when the user starts as it', {
    tags: ['holes.second-wall'],
  }, async () => {
    expect(await checkAccountWall(target)).toMatchObject({ status: 'pass' });
    await database.sql.unsafe(`ALTER ROLE ${user} SET role = 'postrider_app'`);
    const pooler = await startForgetfulPooler({ ...database, target });
    afterwards(() => pooler.close());
    const { faults } = await examineAccountWall(pooler.database.target);
    expect(faults[0]?.message).toContain('Connections “api” work for all accounts but run as postrider_app');
    expect(faults[0]?.fix).toContain(`ALTER ROLE ${user} RESET role;`);
  });
});

describe('the judged properties of the role', () => {
  const table = { name: 'messages', isPartition: false, isEnabled: true, isForced: true, isActive: true };
  const protectedTable = { ...table, isOwned: false, isReadable: true, policies: ['(account_id = current_account())'] };
  const right = {
    isSuperuser: false,
    bypassesPolicies: false,
    isSystem: false,
    seesAccounts: false,
    tables: [protectedTable],
  };

  it.each([
    ['is a superuser', { isSuperuser: true }, 'NOSUPERUSER NOBYPASSRLS'],
    ['has BYPASSRLS', { bypassesPolicies: true }, 'NOSUPERUSER NOBYPASSRLS'],
    ['is a member of postrider_system', { isSystem: true }, 'REVOKE postrider_system FROM postrider_app'],
    ['owns messages', { tables: [{ ...protectedTable, isOwned: true }] }, 'OWNER TO the user of DATABASE_URL'],
    ['sees accounts', { seesAccounts: true }, 'a function or a policy was changed'],
  ])('the role of requests %s', { tags: ['holes.second-wall'] }, (words, change, fix) => {
    expect(checkIsolation(right)).toEqual([]);
    expect(checkIsolation({ ...right, ...change })).toEqual([
      { message: expect.stringContaining(`The role postrider_app ${words}`), fix: expect.stringContaining(fix) },
    ]);
  });

  it('a database without the tables of accounts', () => {
    expect(checkIsolation({ ...right, tables: [] })).toMatchObject([{ fix: expect.stringContaining('migrate') }]);
  });

  it('transactions of accounts that run as the owner', { tags: ['holes.second-wall'] }, () => {
    const facts = {
      user: 'owner',
      sessionUser: 'owner',
      statementTimeoutMs: 8_000,
      timeZone: 'UTC',
      planCacheMode: 'auto',
    };
    const asked = { isBound: true, statementTimeoutMs: 8_000, planCacheMode: 'force_custom_plan' };
    expect(judgeConnections([{ kind: 'reads', ...asked, facts }])).toEqual([
      {
        message: expect.stringContaining('run as owner instead of postrider_app'),
        fix: expect.stringContaining('pooler'),
      },
    ]);
  });
});
