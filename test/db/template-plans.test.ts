import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindAccount } from '../../packages/server/src/db/account-client.ts';
import { openDatabase, type Query, type Transaction } from '../../packages/server/src/db/client.ts';
import { readTemplateSource, type VersionChoice } from '../../packages/server/src/db/queries/template-records.ts';
import type { RunOptions } from '../../packages/server/src/db/query-result.ts';
import { keepPlans } from '../../packages/server/src/db/session-settings.ts';
import { type TaggedPool, tagged } from '../harness/tagged.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const ACCOUNT = '00000000-0000-7000-8000-000000000001';
const TEMPLATE = '00000000-0000-7000-8000-000000000002';
const NAMES = [{ id: TEMPLATE }, { slug: 'receipt' }] as const;
const CHOICES: readonly VersionChoice[] = [
  { version: null, draftsOf: null },
  { version: 7, draftsOf: null },
  { version: null, draftsOf: 'key' },
  { version: 7, draftsOf: 'key' },
];

describe('the lookup of a template', { timeout: 60_000 }, () => {
  let database: TestDatabase;
  let pool: TaggedPool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = tagged(
      openDatabase({
        target: database.target,
        ...{ maxConnections: 1, applicationName: 'tests', forAccounts: true, deadlineMs: 60_000 },
      }),
    );
    await database.sql`INSERT INTO accounts (id, name, created_at) VALUES (${ACCOUNT}, 'Account', now())`;
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function lookUpAll(query: Query): Promise<void> {
    for (const name of NAMES) for (const choice of CHOICES) await readTemplateSource(query, ACCOUNT, name, choice);
  }

  it('reads only the rows of its template, even with plans from when the tables were empty', async () => {
    const account = tagged(bindAccount(pool, ACCOUNT));
    await account.begin(async (transaction) => {
      await keepPlans(transaction);
      const { query, takeScans } = explain(transaction);
      await lookUpAll(query);
      expect(takeScans()).not.toEqual([]);
      await addTemplates(database.sql);
      await lookUpAll(query);
      for (const scan of takeScans()) expect(scan).toMatch(/(actual rows=1(\.00)? loops=1\)|never executed)/);
    });
  });
});

/** 2,000 templates of 10 versions each, all published. */
async function addTemplates(sql: TaggedPool): Promise<void> {
  await sql`
    WITH template AS (
      INSERT INTO templates (account_id, id, slug, name, current_version, last_version, created_at, updated_at)
      SELECT ${ACCOUNT}::uuid, CASE n WHEN 1 THEN ${TEMPLATE}::uuid ELSE gen_random_uuid() END,
        CASE n WHEN 1 THEN 'receipt' ELSE 'template-' || n END, 'Template', 9, 10, now(), now()
      FROM generate_series(1, 2000) AS n
      RETURNING account_id, id)
    INSERT INTO template_versions (account_id, template_id, version, subject, text, variables, created_by, created_at)
    SELECT account_id, id, version, 'Hello', 'Hi', '{}', 'key', now() FROM template, generate_series(1, 10) AS version`;
}

/** Runs statements as EXPLAIN ANALYZE, each with the plan of its first run. */
function explain(transaction: Transaction) {
  const names = new Map<string, string>();
  const scans: string[] = [];
  const query: Query = {
    async run<Row>(text: string, parameters: readonly unknown[] = [], options?: RunOptions) {
      expect(options?.plan).toBe('kept');
      const name = names.get(text) ?? `lookup_${names.size}`;
      if (!names.has(text)) await transaction.run(`PREPARE ${name} AS ${text}`);
      names.set(text, name);
      const values = parameters.map((value) => (value === null ? 'NULL' : `'${value}'`)).join();
      const plan = await transaction.run<Row>(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE ${name}(${values})`);
      const lines = plan.flatMap((row) => Object.values(row as object).map(String));
      // Fewer than the 10 versions of the template.
      for (const line of lines) if (line.includes('Rows Removed')) expect(line).toMatch(/: \d$/);
      scans.push(...lines.filter((line) => line.includes('Scan')));
      return plan;
    },
  };
  return { query, takeScans: () => scans.splice(0) };
}
