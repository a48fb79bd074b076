import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { migrate } from '../../packages/server/src/db/migrate.ts';
import { ensurePartitions } from '../../packages/server/src/db/queries/partitions.ts';
import { insertRequests } from '../../packages/server/src/db/queries/request-log.ts';
import { countMatches } from '../../packages/server/src/db/queries/search-messages.ts';
import type { Query } from '../../packages/server/src/db/query.ts';
import { toMessageFilters } from '../../packages/server/src/operations/emails/message-filters.ts';
import { type TaggedSql, tagged } from '../harness/tagged.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const MINE = '00000000-0000-7000-8000-0000000000a1';
const THEIRS = '00000000-0000-7000-8000-0000000000b2';

/** What is no account's, and so behind no wall: requests as such have no right to any of it. */
const OF_THE_INSTALLATION: Readonly<Record<string, string>> = {
  schema_migrations: 'which migrations ran',
  installation: 'facts about the installation',
  worker_heartbeats: 'which processes work',
  domain_takeovers: 'how often a name has moved between accounts',
  identities: 'whom a provider knows a person as; a person is of no account',
  code_tries: 'counts of users and addresses; users belong to no account',
  passkeys: 'with what users sign in; users belong to no account',
  spent_challenges: 'used challenges of passkeys, by users who are not signed in yet',
  oauth_records: 'of programs that are signing in, before the account is known',
  receipt_keys: 'what signs receipts; only the installation may',
  magic_links: 'spent by users who are not signed in yet',
};

/** Users belong to no account: those with a seat in the account are visible. */
const BY_A_RULE_OF_THEIR_OWN = ['users'];

interface TableRow {
  readonly name: string;
  readonly isPartition: boolean;
  readonly hasAccount: boolean;
  readonly isEnabled: boolean;
  readonly isForced: boolean;
  readonly policies: readonly string[] | null;
  readonly isReadable: boolean;
}

async function readTables(sql: TaggedSql): Promise<readonly TableRow[]> {
  return await sql<TableRow[]>`
    SELECT c.relname AS name, c.relispartition AS "isPartition", c.relrowsecurity AS "isEnabled", c.relforcerowsecurity AS "isForced",
      EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped) AS "hasAccount",
      (SELECT array_agg(polname || ' ' || (SELECT string_agg(rolname, ',') FROM pg_roles WHERE oid = ANY (polroles)) || ': '
          || pg_get_expr(polqual, polrelid) || coalesce(' / ' || pg_get_expr(polwithcheck, polrelid), '') ORDER BY polname)
        FROM pg_policy WHERE polrelid = c.oid) AS policies,
      has_table_privilege('postrider_app', c.oid, 'SELECT') AS "isReadable"
    FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY 1`;
}

describe('row-level security', () => {
  let database: TestDatabase;
  let tables: readonly TableRow[];
  beforeAll(async () => {
    database = await createTestDatabase();
    // A month that was not there when the migrations ran.
    await ensurePartitions(database.sql, new Date(Date.now() + 180 * 86_400_000));
    const { sql } = database;
    for (const [id, name] of [[MINE, 'Mine'] as const, [THEIRS, 'Theirs'] as const]) {
      await sql`INSERT INTO accounts (id, name, created_at) VALUES (${id}, ${name}, now())`;
      await sql`
        INSERT INTO suppressions (account_id, id, email, reason, created_at)
        VALUES (${id}, gen_random_uuid(), ${`${name}@example.org`}, 'manual', now())`;
    }
    tables = await readTables(sql);
  });
  afterAll(() => database.drop());

  it('is enabled and forced with its two policies on every table with account rows, partitions included', () => {
    const unprotected = tables
      .filter(({ hasAccount, name }) => hasAccount || name === 'accounts')
      .filter(({ name, isEnabled, isForced, policies }) => {
        const own = `(${name === 'accounts' ? 'id' : 'account_id'} = current_account())`;
        const wanted = ['all_accounts postrider_system: true / true', `own_account postrider_app: ${own} / ${own}`];
        // The log of requests is written by COPY, which forcing would refuse to its owner.
        return !isEnabled || isForced === (name === 'request_log') || policies?.join('\n') !== wanted.join('\n');
      });
    expect(unprotected.map(({ name }) => name)).toEqual([]);
    expect(tables.filter(({ isPartition }) => isPartition).length).toBeGreaterThan(50);
  });

  it('omits only tables without account rows, and requests have no rights to those', () => {
    const others = tables.filter(({ hasAccount, name }) => !hasAccount && name !== 'accounts');
    const known = [...Object.keys(OF_THE_INSTALLATION), ...BY_A_RULE_OF_THEIR_OWN];
    expect(others.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
    expect(others.filter(({ name, isReadable }) => name in OF_THE_INSTALLATION && isReadable)).toEqual([]);
  });

  it('lets requests reach partitions only through their parent', () => {
    expect(tables.filter(({ isPartition, isReadable }) => isPartition && isReadable)).toEqual([]);
  });

  it('shows no rows when no account is named, and none of another account when one is', async () => {
    const pool = tagged(
      openDatabase({
        target: database.target,
        maxConnections: 1,
        applicationName: 'tests',
        forAccounts: true,
      }),
    );
    expect([...(await pool`SELECT id FROM accounts`)]).toEqual([]);
    const names = await database.bound(
      MINE,
    )`SELECT name, (SELECT array_agg(email) FROM suppressions) AS emails FROM accounts`;
    expect([...names]).toEqual([{ name: 'Mine', emails: ['Mine@example.org'] }]);
    // Once named, a setting is empty behind its transaction.
    await pool.begin(async (tx) => await tx.unsafe(`SET LOCAL app.account_id = '${MINE}'`));
    expect([...(await pool`SELECT id FROM accounts`)]).toEqual([]);
    await pool.end();
  });

  it('changes no row of another account, and adds none to it', async () => {
    const mine = database.bound(MINE);
    expect([...(await mine`UPDATE suppressions SET note = 'mine' RETURNING account_id`)]).toEqual([
      { account_id: MINE },
    ]);
    expect(await mine`DELETE FROM suppressions WHERE account_id = ${THEIRS} RETURNING id`).toHaveLength(0);
    const refused = /row-level security/;
    await expect(
      mine`INSERT INTO suppressions (account_id, id, email, reason, created_at) VALUES (${THEIRS}, gen_random_uuid(), 'x', 'manual', now())`,
    ).rejects.toThrow(refused);
    await expect(mine`UPDATE suppressions SET account_id = ${THEIRS}`).rejects.toThrow(refused);
    const left = await database.sql`SELECT note FROM suppressions WHERE account_id = ${THEIRS}`;
    expect([...left]).toEqual([{ note: null }]);
  });

  it('lets searches read only their own account, by conditions that use the indexes', async () => {
    const { sql } = database;
    for (const account of [MINE, THEIRS]) {
      await sql`
        INSERT INTO message_search (account_id, message_id, created_at, facets, search)
        SELECT ${account}, uuid_v7(now()), now(), ARRAY[n], 'mail number ' || md5(n::text) FROM generate_series(1, 4000) AS n`;
    }
    await sql`ANALYZE message_search`;
    const mine = database.bound(MINE);
    const plan =
      await mine`EXPLAIN SELECT message_id FROM own_message_search WHERE account_id = ${MINE} AND search LIKE '%c4ca4238a0%'`;
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
      /Bitmap Index Scan on message_search_\d{4}_\d\d_search_idx/,
    );
    const [counted] = await mine`SELECT count(*)::int AS n FROM own_message_search WHERE facets @> '{7}'`;
    expect(counted).toEqual({ n: 1 });
  });

  it('lets a search that also reads the log use its index', async () => {
    const { sql } = database;
    await sql`
      INSERT INTO message_search (account_id, message_id, created_at, facets, search)
      SELECT ${MINE}, uuid_v7(now()), now(), ARRAY[n], 'another mail ' || n FROM generate_series(1, 30000) AS n`;
    await sql`ANALYZE message_search`;
    const mine = database.bound(MINE);
    const plans: string[] = [];
    const explained: Query = {
      async run(text, parameters) {
        const plan = await mine.run<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, parameters);
        plans.push(plan.map((row) => row['QUERY PLAN']).join('\n'));
        return await mine.run(text, parameters);
      },
    };
    const caller = { accountId: MINE, keyId: THEIRS, scopes: ['emails:read'] as const, user: null };
    const filters = toMessageFilters({ recipient: 'ada@example.com' }, caller);
    await countMatches(explained, filters, 10);
    expect(plans.join('\n')).toMatch(/Bitmap Index Scan on message_search_\d{4}_\d\d_facets_search_spans_idx/);
    // Both conditions, so that the matches of other spans are not read.
    expect(plans.join('\n')).toMatch(/Index Cond: \(\(facets @> .* AND .*'span:'/);
  });
});

describe('an installation on its own database', () => {
  const admin = (target: DatabaseTarget) =>
    tagged(openDatabase({ target, maxConnections: 1, applicationName: 'tests' }));
  const rolesOf = (user: string) => [`CREATE ROLE ${user} LOGIN`, `CREATE DATABASE ${user} OWNER ${user}`];

  /** A database that is owned by a user who is no superuser. */
  async function withOwner(rights: string, work: (target: DatabaseTarget, database: TestDatabase) => Promise<void>) {
    const database = await createTestDatabase();
    if (database.target.kind !== 'socket') throw new Error('tests reach their database over a socket');
    const user = `owner_${database.target.database}`;
    for (const statement of rolesOf(user)) await database.sql.unsafe(statement);
    if (rights !== '') await database.sql.unsafe(rights.replaceAll('USER', user));
    try {
      await work({ ...database.target, user, database: user }, database);
    } finally {
      await database.sql.unsafe(`DROP DATABASE ${user} WITH (FORCE)`);
      await database.sql.unsafe(`DROP ROLE ${user}`);
      await database.drop();
    }
  }

  it('names the missing right when its user cannot have the roles', async () => {
    await withOwner('', async (target) => {
      const sql = admin(target);
      await expect(migrate(sql)).rejects.toMatchObject({
        message: expect.stringContaining('cannot keep accounts apart'),
        fix: expect.stringContaining('GRANT postrider_app TO'),
      });
      await sql.end();
    });
  });

  it('works with an ordinary owner who was granted the roles: forced on the owner too, who works for all accounts', async () => {
    await withOwner('GRANT postrider_app, postrider_system TO USER', async (target) => {
      const sql = admin(target);
      await migrate(sql);
      await ensurePartitions(sql, new Date());
      for (const id of [MINE, THEIRS])
        await sql`INSERT INTO accounts (id, name, created_at) VALUES (${id}, 'x', now())`;
      const [seen] = await sql`SELECT count(*)::int AS n FROM accounts`;
      expect(seen).toEqual({ n: 2 });
      const entry = { accountId: MINE, id: MINE, requestId: 'r', method: 'GET', path: '/', status: 200, code: null };
      await insertRequests(sql, [{ ...entry, durationMs: 1, keyId: null, emailId: null, createdAt: new Date() }]);
      const [logged] = await sql`SELECT count(*)::int AS n FROM request_log`;
      expect(logged).toEqual({ n: 1 });
      const pool = tagged(openDatabase({ target, maxConnections: 1, applicationName: 'tests', forAccounts: true }));
      expect([...(await pool`SELECT id FROM accounts`)]).toEqual([]);
      await Promise.all([pool.end(), sql.end()]);
    });
  });
});
