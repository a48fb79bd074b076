import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditEntry, appendAudit } from '../../packages/server/src/db/queries/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const NOTHING_BEFORE = '0'.repeat(64);

describe('the audit log', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  function entryOf(accountId: string, details: AuditEntry['details'] = {}): AuditEntry {
    const now = new Date('2026-01-31T09:00:00.123Z');
    return { accountId, id: randomUUID(), action: 'suppression.added', actor: 'system', targetId: null, details, now };
  }

  const read = (accountId: string) => database.sql`
    SELECT *, created_at::text AS at, details::text AS words FROM audit_log WHERE account_id = ${accountId} ORDER BY seq`;

  it('chains each entry of an account to the previous one, by a hash that anyone can recompute', async () => {
    const accountId = randomUUID();
    await appendAudit(database.sql, [entryOf(accountId, { email: 'a@b.co', note: 'line one\nline two' })]);
    await appendAudit(database.sql, [entryOf(accountId), { ...entryOf(accountId), targetId: randomUUID() }]);
    const rows = await read(accountId);
    expect(rows.map(({ seq }) => Number(seq))).toEqual([1, 2, 3]);
    let previous = NOTHING_BEFORE;
    for (const row of rows) {
      expect(row['previous_hash']).toBe(previous);
      const lines = [
        ...[previous, row['account_id'], row['id'], row['seq'], row['action'], row['actor'], row['target_id'] ?? '-'],
        ...['2026-01-31T09:00:00.123000Z', row['words']],
      ];
      previous = createHash('sha256').update(lines.join('\n')).digest('hex');
      expect(row['hash']).toBe(previous);
    }
  });

  it('keeps one chain per account, without gaps, under any concurrency', async () => {
    const accounts = [randomUUID(), randomUUID(), randomUUID()];
    const both = (first: string, second: string) => appendAudit(database.sql, [entryOf(first), entryOf(second)]);
    const [one = '', two = '', three = ''] = accounts;
    await Promise.all(
      Array.from({ length: 12 }, () => [both(one, two), both(two, one), both(three, two), both(one, three)]).flat(),
    );
    for (const [accountId, count] of [
      [one, 36],
      [two, 36],
      [three, 24],
    ] as const) {
      const rows = await read(accountId);
      expect(rows.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: count }, (_, index) => index + 1));
      expect(rows.slice(1).map((row) => row['previous_hash'])).toEqual(rows.slice(0, -1).map((row) => row['hash']));
    }
  });

  it('is append-only: no row is changed or removed, and an aborted change leaves none', async () => {
    const accountId = randomUUID();
    await appendAudit(database.sql, [entryOf(accountId)]);
    const aborted = database.sql.begin(async (transaction) => {
      await appendAudit(transaction, [entryOf(accountId)]);
      throw new Error('aborted');
    });
    await expect(aborted).rejects.toThrow('aborted');
    const { sql } = database;
    const refused = /only ever added to/;
    await expect(sql`UPDATE audit_log SET actor = 'x' WHERE account_id = ${accountId}`).rejects.toThrow(refused);
    await expect(sql`DELETE FROM audit_log WHERE account_id = ${accountId}`).rejects.toThrow(refused);
    await expect(sql`TRUNCATE audit_log`).rejects.toThrow(refused);
    expect(await read(accountId)).toHaveLength(1);
  });

  it('removes a whole account when it is erased, and no other', async () => {
    const [erased, kept] = [randomUUID(), randomUUID()];
    await appendAudit(database.sql, [entryOf(erased), entryOf(kept)]);
    await database.sql.begin(async (transaction) => {
      await transaction`SELECT set_config('postrider.erasing_account', ${erased}, true)`;
      await transaction`DELETE FROM audit_log WHERE account_id = ${erased}`;
    });
    expect([await read(erased), await read(kept)].map(({ length }) => length)).toEqual([0, 1]);
    await expect(database.sql`DELETE FROM audit_log WHERE account_id = ${kept}`).rejects.toThrow();
  });
});
