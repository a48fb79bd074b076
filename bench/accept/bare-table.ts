import type { TaggedSql } from '../../test/harness/tagged.ts';

/** The only table of the upper bound: one row per message, stored as the product stores bodies. */
export async function createBareTable(sql: TaggedSql): Promise<void> {
  await sql.unsafe(`
    CREATE TABLE IF NOT EXISTS bare_messages (
      id uuid PRIMARY KEY, from_address text NOT NULL, to_address text NOT NULL, subject text NOT NULL,
      html text, text text, tags text[] NOT NULL, status text NOT NULL, created_at timestamptz NOT NULL)
    WITH (toast_tuple_target = 4080)`);
}
