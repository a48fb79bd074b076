import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendAudit } from '../../packages/server/src/db/queries/audit-log.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { runInProcess, type Terminal } from './run-in-process.ts';

describe('postrider audit', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  const run = (argv: readonly string[], terminal: Terminal = {}, key = server.key) => {
    const env = { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' };
    return runInProcess(argv, { env, ...terminal });
  };
  const json = async (argv: readonly string[]) => {
    const { code, stdout } = await run([...argv, '--json']);
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };

  it('lists the audit log, filtered, as a table and as JSON', async () => {
    await server.call('POST', '/suppressions', { body: { email: 'a@b.example' } });
    await server.call('DELETE', '/suppressions/a@b.example?note=by+phone');
    const { entries } = await json(['audit', 'list', '--action', 'suppression.removed']);
    expect(entries).toMatchObject([{ action: 'suppression.removed', details: { note: 'by phone' } }]);
    const table = (await run(['audit', 'list', '--limit', '1'], { columns: 220 })).stdout;
    expect(table).toMatch(/^SEQ +MADE \(UTC\) +ACTION +ACTOR +TARGET +DETAILS +HASH$/m);
    expect(table).toMatch(new RegExp(`suppression\\.removed .*note: by phone.* ${entries[0].hash.slice(0, 12)}$`, 'm'));
  });

  it('shows the names of actors in the table, and their ids in the JSON', async () => {
    const twins = [await server.newKey({ name: 'Twin' }), await server.newKey({ name: 'Twin' })];
    const importer = await server.newKey({ name: 'Importer' });
    for (const key of [...twins, importer]) {
      await server.call('POST', '/suppressions', { key, body: { email: `${key.slice(-4)}@c.example` } });
    }
    const argv = ['audit', 'list', '--action', 'suppression.added', '--limit', '3'];
    const { entries } = await json(argv);
    const short = entries.map(({ actor }: { actor: string }) => actor.slice(0, 13));
    const { stdout } = await run(argv, { columns: 100 });
    const actors = [...stdout.matchAll(/suppression\.added {2}(Twin \(\S+\)|\w+)/g)].map(([, actor]) => actor);
    expect(actors).toEqual(['Importer', `Twin (${short[1]})`, `Twin (${short[2]})`]);
  });

  it('shows the ids of actors to a key that cannot read the keys', async () => {
    const key = await server.newKey({ scopes: ['audit:read'] });
    const { code, stdout } = await run(['audit', 'list', '--limit', '1'], { columns: 120 }, key);
    expect(code).toBe(0);
    expect(stdout).toMatch(/suppression\.added {2}[0-9a-f]{8}-[0-9a-f]{4} /);
  });

  describe('verify', () => {
    const DETAILS = {
      z: 'a "quoted" \\ line\nand \u0001\u007f\u2028 é',
      bb: 1.5,
      a: true,
      ä: null,
      ccc: 12_345_678_901,
    };

    /** An account with entries of every form, and a key of it. */
    async function accountWith(entries: number) {
      const { accountId, key } = await server.newAccount();
      const now = server.clock.now();
      const action = 'suppression.added' as const;
      const common = { accountId, action, actor: 'system', details: DETAILS, now };
      const targets = Array.from({ length: entries }, (_, index) => (index % 2 === 0 ? null : randomUUID()));
      await appendAudit(
        server.database.sql,
        targets.map((targetId) => ({ ...common, id: randomUUID(), targetId })),
      );
      return { accountId, key };
    }

    async function verify(key: string, ...words: readonly string[]) {
      const { code, stdout } = await run(['audit', 'verify', ...words, '--json'], {}, key);
      return { code, ...JSON.parse(stdout) };
    }

    async function tamper(accountId: string, statement: string): Promise<void> {
      await server.database.sql.begin(async (transaction) => {
        await transaction`SET LOCAL session_replication_role = replica`;
        await transaction.unsafe(`${statement} AND account_id = '${accountId}'`);
      });
    }

    it('computes every hash again, over all pages, and prints the last one', async () => {
      const { accountId, key } = await accountWith(230);
      const [last] = await server.database
        .sql`SELECT hash FROM audit_log WHERE account_id = ${accountId} AND seq = 230`;
      const whole = await verify(key);
      expect(whole).toEqual({ code: 0, ok: true, entries: 230, lastHash: last?.['hash'], broken: null });
      expect(await verify(key, '--expect', whole.lastHash)).toMatchObject({ code: 0, ok: true });
      expect((await run(['audit', 'verify'], { columns: 100 }, key)).stdout).toBe(
        `230 entries verified.\n${whole.lastHash}\n`,
      );
      expect(await verify((await server.newAccount()).key)).toEqual({
        ...{ code: 0, ok: true, entries: 0, lastHash: null, broken: null },
      });
    });

    it.each([
      [`UPDATE audit_log SET actor = 'x' WHERE seq = 3`, 'changed', 3],
      [`UPDATE audit_log SET details = details || '{"bb": 2}' WHERE seq IN (2, 4)`, 'changed', 2],
      ['DELETE FROM audit_log WHERE seq = 3', 'missing', 3],
      ['DELETE FROM audit_log WHERE seq <= 2', 'missing', 1],
      [
        `UPDATE audit_log SET actor = 'x', hash = audit_hash(previous_hash, account_id, id, seq, action, 'x', target_id, created_at, details)
          WHERE seq = 3`,
        'unlinked',
        4,
      ],
    ])('names the first broken entry and exits with 1: %s', async (statement, reason, seq) => {
      const { accountId, key } = await accountWith(5);
      await tamper(accountId, statement);
      expect(await verify(key)).toMatchObject({ code: 1, ok: false, broken: { reason, seq } });
      const { code, stdout } = await run(['audit', 'verify'], { columns: 100 }, key);
      expect([code, stdout]).toEqual([1, expect.stringContaining(`Broken at entry ${seq} (${reason}): Entry ${seq}`)]);
    });

    it('says that a key that does not see every field gets no hashes', async () => {
      const { body } = await server.call('POST', '/keys', { body: { name: 'log', scopes: ['audit:read'] } });
      const { code, stderr } = await run(['audit', 'verify'], {}, body.key);
      expect(code).toBe(4);
      expect(stderr).toContain('audit:read, team:read and webhooks:write');
    });

    it('notices entries removed from the end when it knows the last hash', async () => {
      const { accountId, key } = await accountWith(5);
      const { lastHash } = await verify(key);
      await tamper(accountId, 'DELETE FROM audit_log WHERE seq = 5');
      expect(await verify(key, '--expect', lastHash)).toMatchObject({
        code: 1,
        broken: { reason: 'forgotten', seq: 5 },
      });
      expect((await run(['audit', 'verify', '--expect', 'abc'], {}, key)).code).toBe(2);
    });
  });
});
