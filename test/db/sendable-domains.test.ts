import type { DomainStatus } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSending } from '../../packages/server/src/sending-domains/domain-status.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

describe('a domain that may send', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('is the same to the database and to the code, for every status that a domain can have', async () => {
    const [constraint] = await database.sql<{ text: string }[]>`
      SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conname = 'sending_domains_status_check'`;
    const statuses = [...(constraint?.text ?? '').matchAll(/'(\w+)'/g)].map(([, status]) => status as DomainStatus);
    expect(statuses).toEqual(expect.arrayContaining(['pending', 'verified', 'failed', 'degraded', 'removed']));
    const rows = await database.sql<{ status: DomainStatus; sendable: boolean }[]>`
      SELECT status, is_sendable(status) AS sendable FROM unnest(${statuses}::text[]) AS status`;
    expect(rows).toEqual(statuses.map((status) => ({ status, sendable: isSending(status) })));
  });
});
