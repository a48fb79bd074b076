import type { TaggedSql } from '../../test/harness/tagged.ts';

/** A part of the database, with its tables. */
interface Part {
  readonly name: string;
  readonly tables: readonly string[];
  /** The space for a message of 3 KB with one recipient, in tables and indexes, as docs/operating.md predicts it. */
  readonly bytes: number;
}

export const CAPACITY: readonly Part[] = [
  { name: 'bodies', tables: ['message_bodies'], bytes: 4_200 },
  { name: 'log and events', tables: ['messages', 'message_recipients', 'message_events'], bytes: 1_600 },
  { name: 'search', tables: ['message_search', 'search_backlog'], bytes: 450 },
  { name: 'request log', tables: ['request_log'], bytes: 350 },
  { name: 'queues', tables: ['deliveries', 'event_backlog', 'count_backlog'], bytes: 250 },
];

/** The bytes of each part on disk, with the partitions of its tables. */
export async function readSizes(sql: TaggedSql): Promise<readonly number[]> {
  const sizes: number[] = [];
  for (const { tables } of CAPACITY) {
    const [row] = await sql<{ bytes: number }[]>`
      SELECT sum(pg_total_relation_size(tree.relid))::float8 AS bytes
      FROM unnest(${[...tables]}::text[]) AS name,
        LATERAL (SELECT relid FROM pg_partition_tree(name::regclass) UNION SELECT name::regclass) AS tree`;
    sizes.push(row?.bytes ?? 0);
  }
  return sizes;
}
