import type { TaggedSql } from '../../test/harness/tagged.ts';
import { countDataSet, makeDataSet } from '../reads/data-set.ts';

/**
 * Creates the data set of `bench reads`, with a short body and two events for each message, so that every table and index that accepting
 * and delivering write to has a realistic size. Returns the number of messages.
 */
export async function makeGrownLog(sql: TaggedSql, count: number): Promise<number> {
  if ((await countDataSet(sql)) === 0) {
    console.log('there is no data set yet: creating it takes several minutes');
    await makeDataSet(sql, count, () => undefined);
    await sql`
      INSERT INTO message_bodies (account_id, message_id, text, headers) SELECT account_id, id, subject, '{}' FROM messages`;
    // A trigger announces new events, and would queue all of them.
    await sql`ALTER TABLE message_events DISABLE TRIGGER message_events_noted`;
    await sql`
      INSERT INTO message_events (account_id, message_id, seq, id, type, created_at)
      SELECT account_id, id, seq, uuidv7(), CASE seq WHEN 1 THEN 'queued' ELSE 'delivered' END, created_at
      FROM messages, generate_series(1, 2) AS seq`;
    await sql`ALTER TABLE message_events ENABLE TRIGGER message_events_noted`;
    await sql`TRUNCATE count_backlog`;
    await sql`VACUUM ANALYZE message_bodies`;
    await sql`VACUUM ANALYZE message_events`;
  }
  const [row] = await sql<{ count: number }[]>`SELECT count(*)::int AS count FROM messages`;
  return row?.count ?? 0;
}
