import type { TaggedSql } from '../../harness/tagged.ts';

/** Writes so many messages of an account straight into the log, a millisecond apart, ending now, and notes them for the search; returns their ids, oldest first. */
export async function addMessages(sql: TaggedSql, accountId: string, count: number): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    WITH made AS (
      SELECT n, floor(extract(epoch FROM now()) * 1000)::bigint - ${count}::int + n AS ms FROM generate_series(1, ${count}::int) AS n
    ),
    written AS (
      INSERT INTO messages (account_id, id, key_id, created_at, from_given, from_domain, to_line, subject, status, channel,
        source, tags, metadata, charged, event_count)
      SELECT ${accountId}, (lpad(to_hex(ms), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid, ${accountId},
        to_timestamp(ms / 1000.0), 'Ada <a@b.co>', 'b.co', 'c@d.co', 'Message ' || n, 'delivered', 'api', 'backend', '{}', '{}', 0, 1
      FROM made RETURNING id
    ),
    noted AS (
      INSERT INTO search_backlog (account_id, message_ids) SELECT ${accountId}, array_agg(id) FROM written
    )
    SELECT id FROM written ORDER BY id`;
  return rows.map(({ id }) => id);
}
