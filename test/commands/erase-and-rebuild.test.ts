import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eraseDueAccounts } from '../../packages/server/src/accounts/erase-account.ts';
import { runServer as runCommandLine } from '../../packages/server/src/commands/run-server.ts';
import { createTasks } from '../../packages/server/src/jobs/tasks.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { NO_APPROVAL_JOBS } from '../harness/hand-made-engine.ts';
import { databaseEnvironment } from '../harness/server-process.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { countAll, readStats, sendAll } from '../stats/counted.ts';

const DAY_MS = 86_400_000;

describe('the operator', () => {
  let server: TestApp;
  let dataDir: string;
  beforeAll(async () => {
    server = await startTestApp();
    dataDir = await mkdtemp(join(tmpdir(), 'postrider-erase-'));
    const { PGHOST, PGUSER } = databaseEnvironment(server.database);
    Object.assign(process.env, { PGHOST, PGUSER });
  });
  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function run(args: string) {
    let [stdout, stderr] = ['', ''];
    const environment = {
      ...databaseEnvironment(server.database),
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
    };
    const code = await runCommandLine(args.split(' '), {
      environment,
      write: (text) => {
        stdout += text;
      },
      writeError: (text) => {
        stderr += text;
      },
      progress: () => undefined,
    });
    return { code, stdout, stderr };
  }

  /** An account with something in every corner of the database. */
  async function newFullAccount(name: string) {
    const { accountId, key } = await server.newAccount(name);
    const call = async (method: string, path: string, body?: unknown, headers = {}) =>
      await server.call(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
    await call('PATCH', '/account', { trackOpens: true, trackClicks: true });
    await server.addDomain(`${name}.test`, accountId);
    await call('POST', '/domains', { name: `new.${name}.test` });
    await call('POST', '/templates', { slug: 'hi', name: 'Hi', subject: 'Hi', html: '<p>Hi</p>' });
    await call('POST', '/suppressions', { email: 'x@example.com' });
    const html = '<a href="https://example.com">x</a>';
    const attachments = [{ filename: 'a.txt', content: 'aGk=' }];
    const emails = [
      { to: 'delivered@sandbox.test', html, attachments, tags: ['t'] },
      { to: 'bounced@sandbox.test', html },
    ];
    await sendAll(server, emails, key);
    const scheduled = { from: `a@${name}.test`, to: 'a@example.com', subject: 'x', text: 'x', scheduled_at: 'P1D' };
    await call('POST', '/emails', scheduled, { 'idempotency-key': 'once' });
    await call('POST', '/support/tickets', { subject: 'Help', body: 'Please' });
    await countAll(server);
    const notIndexed = async () => (await server.database.sql`SELECT FROM search_backlog`).length;
    await expect.poll(notIndexed, { timeout: 5_000, interval: 50 }).toBe(0);
    const logged = async () => (await call('GET', '/requests')).body.requests.length;
    await expect.poll(logged, { timeout: 5_000, interval: 50 }).toBeGreaterThan(5);
    return { accountId, key };
  }

  /** In which tables, of all there are, the id occurs anywhere: by table, in how many rows. */
  async function tablesWith(id: string): Promise<Readonly<Record<string, number>>> {
    const { sql } = server.database;
    const tables = await sql<{ name: string }[]>`
      SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`;
    const found: Record<string, number> = {};
    for (const { name } of tables) {
      const [row] = await sql.unsafe(
        `SELECT count(*)::int AS n FROM ${name} AS t WHERE t::text LIKE '%' || $1::text || '%'`,
        [id],
      );
      if (row?.['n'] > 0) found[name] = row?.['n'];
    }
    return found;
  }

  it('erases an account immediately: no table has a row of it, and no other account loses one', {
    tags: ['contract-operator.erase'],
  }, async () => {
    const [kept, gone] = [await newFullAccount('kept'), await newFullAccount('gone')];
    const before = await tablesWith(kept.accountId);
    const tables = Object.keys(await tablesWith(gone.accountId)).map((name) => name.replace(/_\d{4}_\d\d$/, ''));
    expect(tables).toEqual(
      expect.arrayContaining([
        ...[
          'accounts',
          'api_keys',
          'audit_log',
          'captured_messages',
          'deliveries',
          'dkim_keys',
          'idempotency_keys',
          'members',
        ],
        ...[
          'message_attachments',
          'message_bodies',
          'message_counts',
          'message_events',
          'message_recipients',
          'message_rollups',
        ],
        ...[
          'message_search',
          'message_tracking',
          'messages',
          'quota_usage',
          'request_log',
          'sending_domains',
          'suppressions',
        ],
        ...['template_versions', 'templates'],
      ]),
    );
    const { code, stdout } = await run(`accounts erase ${gone.accountId} --yes --json`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      accountId: gone.accountId,
      name: 'gone',
      erased: true,
      rows: expect.any(Number),
    });
    expect(await tablesWith(gone.accountId)).toEqual({});
    expectProblem(await server.call('GET', '/account', { key: gone.key }), 401, 'invalid_key');
    const after = await tablesWith(kept.accountId);
    expect({ ...after, request_log: 0 }).toEqual({ ...before, request_log: 0 });
    expect((await server.call('GET', '/emails', { key: kept.key })).body.total).toBe(3);
  });

  it('must confirm the erasure and name the account', { tags: ['contract-operator.erase'] }, async () => {
    const { accountId, key } = await server.newAccount('Careful');
    const refused = await run(`accounts erase ${accountId}`);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain(`postrider-server accounts erase ${accountId} --yes`);
    for (const wrong of ['nobody', '01890a5d-ac96-774b-bcce-b302099a8057']) {
      const unknown = await run(`accounts erase ${wrong} --yes`);
      expect(unknown.code).not.toBe(0);
      expect(unknown.stderr).toContain(`There is no account ${wrong}`);
    }
    expect((await server.call('GET', '/account', { key })).status).toBe(200);
  });

  it('needs to do nothing after the grace period: the job erases everything that is due, and nothing else', {
    tags: ['account.delete'],
  }, async () => {
    const [due, kept] = [await newFullAccount('due'), await newFullAccount('later')];
    await server.call('DELETE', '/account', { key: due.key });
    const { sql } = server.database;
    server.clock.advance(29 * DAY_MS);
    expect(await eraseDueAccounts(sql, server.clock.now())).toEqual([]);
    expect((await server.call('GET', '/account', { key: due.key })).status).toBe(200);
    await server.call('DELETE', '/account', { key: kept.key });
    server.clock.advance(DAY_MS + 1_000);
    await runTask('accounts:erase');
    expect(await tablesWith(due.accountId)).toEqual({});
    expect((await server.call('GET', '/account', { key: kept.key })).status).toBe(200);
  });

  it('sees an interrupted erasure continue, which no one can cancel any more', async () => {
    const { accountId, key } = await newFullAccount('broken');
    const { sql } = server.database;
    await sql`CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken off'; END $$`;
    await sql`CREATE TRIGGER break_off BEFORE DELETE ON quota_usage FOR EACH ROW EXECUTE FUNCTION break_off()`;
    await sql`UPDATE quota_usage SET used = used WHERE account_id = ${accountId}`;
    await sql`INSERT INTO quota_usage VALUES (${accountId}, '2020-01-01', 1)`;
    expect((await run(`accounts erase ${accountId} --yes`)).code).not.toBe(0);
    await sql`DROP TRIGGER break_off ON quota_usage`;
    expectProblem(await server.call('PATCH', '/account', { key, body: { cancelDeletion: true } }), 401, 'invalid_key');
    expect(await eraseDueAccounts(sql, server.clock.now())).toEqual([accountId]);
    expect(await tablesWith(accountId)).toEqual({});
  });

  it('rebuilds the statistics from the log while a server runs', {
    tags: ['contract-operator.stats'],
  }, async () => {
    const { accountId, key } = await server.newAccount('Counted');
    await sendAll(
      server,
      [
        { to: 'delivered@sandbox.test', text: 'x' },
        { to: 'soft@sandbox.test', text: 'x' },
      ],
      key,
    );
    const right = await readStats(server, '?bounces=true&provenance=true', key);
    await server.database.sql`UPDATE message_rollups SET sent = 99, delivered = 0 WHERE account_id = ${accountId}`;
    const { code, stdout } = await run('stats rebuild --json');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { rebuilt: true, accounts: expect.any(Number), days: expect.any(Number), messages: expect.any(Number) },
    ]);
    expect(await readStats(server, '?bounces=true&provenance=true', key)).toEqual(right);
    expect((await run('stats rebuild')).stdout).toMatch(/^Recounted \d+ messages of \d+ accounts on \d+ days\.\n$/);
  });

  async function runTask(name: string): Promise<void> {
    const { engine } = server.app;
    if (engine === null) throw new Error('the app has no worker');
    const task = createTasks({
      ...{ sql: server.database.sql, clock: server.clock, ids: server.app.services.database.ids, engine },
      ...{
        domains: server.app.services.domains.checker,
        watchdog: async () => {},
        approvals: NO_APPROVAL_JOBS,
        monthlyQuota: server.config.monthlyQuota,
        retention: server.config.retention,
      },
      onError: (error) => {
        throw error;
      },
    })[name];
    if (task === undefined) throw new Error(`there is no task ${name}`);
    await task({}, undefined as never); // Ours look at neither payload nor helpers.
  }
});
