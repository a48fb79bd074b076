import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { arraysOf, columnNames, toArrays, unnested } from '../record-columns.ts';
import { nullable, pg, returning } from '../result.ts';
import { approvals } from '../schema/approvals.ts';
import { messages } from '../schema/messages.ts';
import { templates } from '../schema/templates.ts';
import { defineStatement, type RowOf } from '../statement.ts';

/** A message, hold or template whose changes a listener subscribes to. */
export interface WatchedResource {
  readonly kind: 'messages' | 'approvals' | 'templates';
  readonly accountId: string;
  /** An id; for a template, the slug or the id. */
  readonly id: string;
  /** For a hold: only one of this key's own sends; null: any of the account. */
  readonly keyId: string | null;
}

const WATCHED = {
  kind: pg.text,
  account_id: messages.accountId,
  /** An id or a slug. */
  name: templates.slug,
  key_id: nullable(approvals.keyId),
};

const read = defineStatement(arraysOf(WATCHED), (watched) =>
  returning(
    { index: pg.int4, state: pg.text },
    sql`
        WITH w AS MATERIALIZED (
          SELECT * FROM ${unnested(WATCHED, watched)} WITH ORDINALITY AS w (${columnNames(WATCHED)}, place)),
        ids AS MATERIALIZED (
          SELECT kind, account_id, name::uuid AS id, key_id, place FROM w
          WHERE name ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
        SELECT (ids.place - 1)::int AS index, m.status || ':' || m.event_count AS state
        FROM ids JOIN messages m ON m.account_id = ids.account_id AND m.id = ids.id WHERE ids.kind = 'messages'
        UNION ALL
        SELECT (ids.place - 1)::int, a.status || ':' || a.revision
        FROM ids JOIN approvals a ON a.account_id = ids.account_id AND a.id = ids.id AND a.key_id = COALESCE(ids.key_id, a.key_id)
        WHERE ids.kind = 'approvals'
        UNION ALL
        SELECT (ids.place - 1)::int, t.current_version || ':' || t.updated_at
        FROM ids JOIN templates t ON t.account_id = ids.account_id AND t.id = ids.id WHERE ids.kind = 'templates'
        UNION ALL
        SELECT (w.place - 1)::int, t.current_version || ':' || t.updated_at
        FROM w JOIN templates t ON t.account_id = w.account_id AND t.slug = w.name WHERE w.kind = 'templates'`,
  ),
);

/**
 * The current state of each watched resource, as a string that changes when the resource does; missing if the resource does not exist. One
 * query serves all listeners: each branch is one index probe for each resource.
 */
export async function readResourceStates(
  query: Query,
  watched: readonly WatchedResource[],
): Promise<readonly RowOf<typeof read>[]> {
  const rows = watched.map(({ kind, accountId, id, keyId }) => ({
    kind,
    account_id: accountId,
    name: id,
    key_id: keyId,
  }));
  return await read(query, toArrays(WATCHED, rows));
}
