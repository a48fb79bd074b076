import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../packages/server/src/db/migrate.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { createFormerDatabase, type FormerDatabase } from '../harness/former-database.ts';

describe('the upgrade of an indexed log', () => {
  const ids = createIdGenerator();
  const now = new Date();
  const [accountId, shop, agent] = [ids.next(now), ids.next(now), ids.next(now)];
  let former: FormerDatabase;
  beforeAll(async () => {
    former = await createFormerDatabase('0056');
    const { sql } = former;
    await sql`INSERT INTO accounts (id, name, created_at) VALUES (${accountId}, 'Acme', ${now})`;
    for (const keyId of [shop, agent, agent]) {
      const id = ids.next(now);
      await sql`
        INSERT INTO messages (account_id, id, key_id, created_at, from_given, from_domain, to_line, subject, status, channel, source, tags,
          metadata, charged, event_count)
        VALUES (${accountId}, ${id}, ${keyId}, ${now}, 'a@b.example', 'b.example', 'c@d.example', 'Hi', 'queued', 'api', 'backend', '{}', '{}',
          0, 1)`;
      await sql`
        INSERT INTO message_search (account_id, message_id, created_at, facets, search)
        VALUES (${accountId}, ${id}, ${now}, search_facets(${accountId}, ARRAY['channel:api']), 'hi')`;
    }
    await migrate(sql);
  });
  afterAll(() => former.drop());

  const found = async (facets: readonly string[]) =>
    (
      await former.sql`
        SELECT FROM message_search s JOIN messages m ON m.account_id = s.account_id AND m.id = s.message_id
        WHERE s.facets @> search_facets(${accountId}, ${facets}::text[])`
    ).length;

  it('finds earlier messages by their key', { tags: ['emails-list.key'] }, async () => {
    expect(await found([`key:${shop}`])).toBe(1);
    expect(await found([`key:${agent}`, 'channel:api'])).toBe(2);
    expect(await found([`key:${accountId}`])).toBe(0);
  });

  it('indexes them as a new database does', async () => {
    const rows = await former.sql<{ name: string }[]>`
      SELECT indexname AS name FROM pg_indexes WHERE tablename = 'message_search' ORDER BY indexname`;
    expect(rows.map(({ name }) => name)).toEqual([
      'message_search_facets',
      'message_search_pkey',
      'message_search_text',
    ]);
  });
});
