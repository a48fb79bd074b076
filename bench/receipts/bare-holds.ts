import { hash } from 'node:crypto';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import type { TaggedSql } from '../../test/harness/tagged.ts';

/** The tables of the comparison: one row for each hold, and one for each receipt. */
export async function createBareHolds(sql: TaggedSql): Promise<void> {
  await sql.unsafe(`
    CREATE TABLE bare_holds (id uuid PRIMARY KEY, content text NOT NULL, status text NOT NULL, decided_at timestamptz)`);
  await sql.unsafe(
    'CREATE TABLE bare_receipts (id uuid PRIMARY KEY, receipt text NOT NULL, created_at timestamptz NOT NULL)',
  );
}

/** Stores `count` undecided holds. Returns their ids. */
export async function addBareHolds(sql: TaggedSql, count: number): Promise<readonly string[]> {
  const ids = createIdGenerator();
  const made = Array.from({ length: count }, () => ids.next(new Date()));
  const contents = made.map((id) => hash('sha256', id));
  await sql`
    INSERT INTO bare_holds (id, content, status)
    SELECT id, content, 'pending' FROM unnest(${made}::uuid[], ${contents}::text[]) AS t (id, content)`;
  return made;
}
