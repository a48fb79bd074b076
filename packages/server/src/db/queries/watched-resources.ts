import type { Query } from '../client.ts';

/** A message, a hold or a template that somebody wants to be told of. */
export interface WatchedResource {
  readonly kind: 'messages' | 'approvals' | 'templates';
  readonly accountId: string;
  /** An id; of a template the slug, or the id. */
  readonly id: string;
  /** Of a hold: only one of this key's own sends; null: of the account. */
  readonly keyId: string | null;
}

/**
 * What each watched thing is like now, as a text that differs when it has changed; what does not exist is not in the answer. One look for all
 * listeners: each branch is an index probe for each thing.
 */
export async function readResourceStates(
  query: Query,
  watched: readonly WatchedResource[],
): Promise<readonly { readonly index: number; readonly state: string }[]> {
  return await query<{ index: number; state: string }[]>`
    WITH w AS MATERIALIZED (
      SELECT * FROM unnest(
        ${watched.map(({ kind }) => kind)}::text[], ${watched.map(({ accountId }) => accountId)}::uuid[],
        ${watched.map(({ id }) => id)}::text[], ${watched.map(({ keyId }) => keyId)}::uuid[])
        WITH ORDINALITY AS w (kind, account_id, name, key_id, place)),
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
    FROM w JOIN templates t ON t.account_id = w.account_id AND t.slug = w.name WHERE w.kind = 'templates'`;
}
