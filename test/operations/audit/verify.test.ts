import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyChains } from '../../../packages/server/src/audit/verify-chains.ts';
import { runServer } from '../../../packages/server/src/commands/run-server.ts';
import { type AuditEntry, appendAudit } from '../../../packages/server/src/db/queries/audit-log.ts';
import { databaseEnvironment, type Environment } from '../../harness/server-process.ts';
import { TEST_SECRET_KEY } from '../../harness/template-database.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';

describe('the chain of the audit log', () => {
  let database: TestDatabase;
  let environment: Environment;
  /** Of each test's own account with five entries. */
  let accountId: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    const { PGHOST, PGUSER } = databaseEnvironment(database);
    Object.assign(process.env, { PGHOST, PGUSER });
    const secret = TEST_SECRET_KEY.toString('base64');
    environment = { ...databaseEnvironment(database), POSTRIDER_SECRET_KEY: secret };
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    accountId = randomUUID();
    await append(5);
  });

  function entryOf(number: number): AuditEntry {
    const details = { note: `line one\nline ${number}`, rate: 1.5, none: null };
    const now = new Date(Date.UTC(2026, 0, 31, 9, 0, number, 7));
    return { accountId, id: randomUUID(), action: 'suppression.added', actor: 'system', targetId: null, details, now };
  }

  const append = (count: number) =>
    appendAudit(
      database.sql,
      Array.from({ length: count }, (_, index) => entryOf(index + 1)),
    );

  /** As someone with the rights of the database's owner would, past the triggers. */
  async function tamper(statement: string): Promise<void> {
    await database.sql.begin(async (transaction) => {
      await transaction`SET LOCAL session_replication_role = replica`;
      await transaction.unsafe(statement.replaceAll('$account', `'${accountId}'`));
    });
  }

  const verify = async () => (await verifyChains(database.sql, accountId))[0];

  it('is intact as written, over many entries and many statements', {
    tags: ['contract-operator.audit'],
  }, async () => {
    for (let count = 0; count < 3; count += 1) await append(1_000);
    const [last] =
      await database.sql`SELECT hash FROM audit_log WHERE account_id = ${accountId} ORDER BY seq DESC LIMIT 1`;
    expect(await verify()).toEqual({ accountId, ok: true, entries: 3_005, lastHash: last?.['hash'], broken: null });
  });

  const BREAKS: readonly (readonly [what: string, statement: string, reason: string, seq: number])[] = [
    ['a changed actor', `UPDATE audit_log SET actor = 'nobody' WHERE account_id = $account AND seq = 3`, 'changed', 3],
    ['a changed detail', `UPDATE audit_log SET details = '{}' WHERE account_id = $account AND seq = 1`, 'changed', 1],
    [
      'a time moved by a microsecond',
      `UPDATE audit_log SET created_at = created_at + interval '1 microsecond' WHERE account_id = $account AND seq = 5`,
      'changed',
      5,
    ],
    ['a target put in', `UPDATE audit_log SET target_id = 'x' WHERE account_id = $account AND seq = 2`, 'changed', 2],
    [
      'a changed hash',
      `UPDATE audit_log SET hash = repeat('a', 64) WHERE account_id = $account AND seq = 2`,
      'changed',
      2,
    ],
    ['an entry taken out of the middle', `DELETE FROM audit_log WHERE account_id = $account AND seq = 3`, 'missing', 3],
    ['the first entry taken out', `DELETE FROM audit_log WHERE account_id = $account AND seq = 1`, 'missing', 1],
    ['the last entry taken out', `DELETE FROM audit_log WHERE account_id = $account AND seq = 5`, 'cut', 5],
    ['all entries taken out', `DELETE FROM audit_log WHERE account_id = $account`, 'cut', 1],
    [
      'two entries in each other’s place',
      `UPDATE audit_log SET seq = CASE seq WHEN 2 THEN 1002 ELSE 2 END WHERE account_id = $account AND seq IN (2, 3); UPDATE audit_log SET seq = 3 WHERE account_id = $account AND seq = 1002`,
      'changed',
      2,
    ],
    [
      'an entry changed with its hash',
      `UPDATE audit_log SET actor = 'nobody', hash = audit_hash(previous_hash, account_id, id, seq, action, 'nobody', target_id, created_at, details) WHERE account_id = $account AND seq = 3`,
      'unlinked',
      4,
    ],
    [
      'the last entry changed with its hash',
      `UPDATE audit_log SET actor = 'nobody', hash = audit_hash(previous_hash, account_id, id, seq, action, 'nobody', target_id, created_at, details) WHERE account_id = $account AND seq = 5`,
      'changed',
      5,
    ],
    [
      'a gap closed by renumbering',
      `DELETE FROM audit_log WHERE account_id = $account AND seq = 3; UPDATE audit_log SET seq = seq - 1, hash = audit_hash(previous_hash, account_id, id, seq - 1, action, actor, target_id, created_at, details) WHERE account_id = $account AND seq > 3`,
      'unlinked',
      3,
    ],
    ['the record of its end taken away', `DELETE FROM audit_heads WHERE account_id = $account`, 'headless', 5],
    [
      'an entry put behind its end',
      `INSERT INTO audit_log SELECT account_id, gen_random_uuid(), 6, action, actor, target_id, details, created_at, repeat('b', 64), hash FROM audit_log WHERE account_id = $account AND seq = 5`,
      'changed',
      6,
    ],
    [
      'another account’s entry in its place',
      `UPDATE audit_log SET account_id = gen_random_uuid() WHERE account_id = $account AND seq = 4`,
      'missing',
      4,
    ],
  ];

  it.each(BREAKS)('shows %s, and names the first broken entry', async (_, statement, reason, seq) => {
    await tamper(statement);
    expect(await verify()).toMatchObject({
      ok: false,
      broken: { reason, seq, message: expect.stringContaining(`ntry ${seq}`) },
    });
  });

  it('never hides a gap at its end: later entries continue what was written, not what is left', async () => {
    await tamper('DELETE FROM audit_log WHERE account_id = $account AND seq = 5');
    await append(2);
    expect(await verify()).toMatchObject({ ok: false, entries: 4, broken: { reason: 'missing', seq: 5 } });
  });

  it('trusts no hash that the database computes', async () => {
    await tamper(`UPDATE audit_log SET actor = 'nobody' WHERE account_id = $account AND seq = 3`);
    await database.sql
      .begin(async (transaction) => {
        await transaction.unsafe(
          `CREATE OR REPLACE FUNCTION audit_hash(previous_hash text, account_id uuid, id uuid, seq bigint, action text, actor text,
          target_id text, created_at timestamptz, details jsonb) RETURNS text LANGUAGE sql STABLE AS $$ SELECT repeat('c', 64) $$`,
        );
        expect(await verify()).toMatchObject({ ok: false, broken: { reason: 'changed', seq: 3 } });
        throw new Error('as it was');
      })
      .catch((error: Error) => expect(error.message).toBe('as it was'));
  });

  it('is intact also while others add to it', async () => {
    const writers = Array.from({ length: 8 }, () => append(3));
    const looks = Array.from({ length: 4 }, verify);
    expect((await Promise.all(looks)).map((report) => report?.ok)).toEqual([true, true, true, true]);
    await Promise.all(writers);
    expect(await verify()).toMatchObject({ ok: true, entries: 29 });
  });

  it('leaves nothing behind of an erased account', async () => {
    await database.sql.begin(async (transaction) => {
      await transaction`SELECT set_config('postrider.erasing_account', ${accountId}, true)`;
      await transaction`DELETE FROM audit_log WHERE account_id = ${accountId}`;
    });
    expect(await verify()).toMatchObject({ ok: true, entries: 0 });
    expect(await database.sql`SELECT 1 FROM audit_heads WHERE account_id = ${accountId}`).toHaveLength(0);
  });

  describe('postrider-server audit verify', () => {
    async function run(...words: readonly string[]) {
      let [stdout, stderr] = ['', ''];
      const code = await runServer(['audit', 'verify', ...words], {
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

    it('exits with 0 for an intact chain, and with 1 for a broken one, naming the entry', {
      tags: ['contract-operator.audit'],
    }, async () => {
      const whole = await run('--account', accountId, '--json');
      expect([whole.code, JSON.parse(whole.stdout)]).toMatchObject([
        0,
        { ok: true, accounts: [{ accountId, entries: 5 }] },
      ]);
      await tamper(`UPDATE audit_log SET action = 'x' WHERE account_id = $account AND seq = 2`);
      const broken = await run('--account', accountId, '--json');
      const [row] = await database.sql`SELECT id FROM audit_log WHERE account_id = ${accountId} AND seq = 2`;
      expect([broken.code, JSON.parse(broken.stdout)]).toMatchObject([
        1,
        { ok: false, accounts: [{ ok: false, entries: 1, broken: { reason: 'changed', seq: 2, id: row?.['id'] } }] },
      ]);
    });

    it('verifies the chains of all accounts, and says which one is broken', {
      tags: ['contract-operator.audit'],
    }, async () => {
      const whole = accountId;
      accountId = randomUUID();
      await append(2);
      await tamper('DELETE FROM audit_log WHERE account_id = $account AND seq = 2');
      const { code, stdout } = await run();
      expect(code).toBe(1);
      expect(stdout).toMatch(new RegExp(`^ok +${whole} +5 entries +[0-9a-f]{64}$`, 'm'));
      expect(stdout).toMatch(new RegExp(`^broken +${accountId} +entry 2, cut: Entry 2 is missing`, 'm'));
    });

    it('reports an account that does not exist', async () => {
      for (const id of ['nope', randomUUID()]) {
        expect(await run('--account', id)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(`There is no account ${id}.`),
        });
      }
    });
  });
});
