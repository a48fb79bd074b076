import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { arraysOf, columnNames, recordColumns, toArrays, unnested } from '../record-columns.ts';
import { executing, nullable, pg, returning } from '../result.ts';
import { apiKeys } from '../schema/keys.ts';
import { mcpSessions } from '../schema/mcp-sessions.ts';
import { members } from '../schema/users.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

export type { WatchedEntries } from '../schema/mcp-sessions.ts';

const SESSION = { accountId: mcpSessions.accountId, id: mcpSessions.id };

const CLAIMED = {
  revision: mcpSessions.revision,
  watched: mcpSessions.watched,
  streamId: nullable(mcpSessions.streamId),
};

const claim = defineStatement({ ...SESSION, streamId: value<string>() }, ({ accountId, id, streamId }) =>
  returning(
    CLAIMED,
    sql`
      UPDATE mcp_sessions SET stream_id = ${streamId}, revision = revision + 1
      WHERE account_id = ${accountId} AND id = ${id} AND ended_at IS NULL
      RETURNING revision, watched, stream_id AS "streamId"`,
  ),
);

/** Makes a stream the one on which the events of a session are sent. Null if the session has ended. */
export async function claimSession(
  query: Query,
  { accountId, id, streamId }: { readonly accountId: string; readonly id: string; readonly streamId: string },
): Promise<RowOf<typeof claim> | null> {
  const [row] = await claim(query, { accountId, id, streamId });
  return row ?? null;
}

const release = defineStatement(
  { ...SESSION, streamId: value<string>(), now: mcpSessions.seenAt },
  ({ accountId, id, streamId, now }) =>
    executing(sql`
    UPDATE mcp_sessions SET stream_id = NULL, revision = revision + 1, seen_at = ${now}
    WHERE account_id = ${accountId} AND id = ${id} AND stream_id = ${streamId}`),
);

/** Leaves the events of a session to another of its streams. */
export async function releaseSession(
  query: Query,
  accountId: string,
  id: string,
  streamId: string,
  now: Date,
): Promise<void> {
  await release(query, { accountId, id, streamId, now });
}

const FOLLOWED = { account_id: mcpSessions.accountId, id: mcpSessions.id, revision: mcpSessions.revision };

const readChanged = defineStatement(arraysOf(FOLLOWED), (followed) =>
  returning(
    {
      index: pg.int4,
      revision: mcpSessions.revision,
      watched: mcpSessions.watched,
      event: mcpSessions.event,
      streamId: nullable(mcpSessions.streamId),
      hasEnded: pg.bool,
    },
    sql`
      SELECT (f.place - 1)::int AS index, s.revision, s.watched, s.event, s.stream_id AS "streamId",
        s.ended_at IS NOT NULL AS "hasEnded"
      FROM ${unnested(FOLLOWED, followed)} WITH ORDINALITY AS f (${columnNames(FOLLOWED)}, place)
      JOIN mcp_sessions s ON s.account_id = f.account_id AND s.id = f.id AND s.revision <> f.revision`,
  ),
);

export type ChangedSession = RowOf<typeof readChanged>;

/** The sessions whose row has another revision than the given one, by their place in the list. One query serves all streams of a process. */
export async function readChangedSessions(
  query: Query,
  followed: readonly { readonly accountId: string; readonly id: string; readonly revision: number }[],
): Promise<readonly ChangedSession[]> {
  if (followed.length === 0) return [];
  const rows = followed.map(({ accountId, id, revision }) => ({ account_id: accountId, id, revision }));
  return await readChanged(query, toArrays(FOLLOWED, rows));
}

const AWAITED = { account_id: mcpSessions.accountId, id: mcpSessions.id, request_id: pg.text };

const readReplies = defineStatement(arraysOf(AWAITED), (awaited) =>
  returning(
    { index: pg.int4, reply: pg.jsonb },
    sql`
      SELECT (f.place - 1)::int AS index, s.replies -> f.request_id AS reply
      FROM ${unnested(AWAITED, awaited)} WITH ORDINALITY AS f (${columnNames(AWAITED)}, place)
      JOIN mcp_sessions s ON s.account_id = f.account_id AND s.id = f.id AND s.replies ? f.request_id`,
  ),
);

/** The responses that have arrived in other processes, by the place of their request in the list. */
export async function readArrivedReplies(
  query: Query,
  awaited: readonly { readonly accountId: string; readonly id: string; readonly requestId: string }[],
): Promise<readonly RowOf<typeof readReplies>[]> {
  if (awaited.length === 0) return [];
  const rows = awaited.map(({ accountId, id, requestId }) => ({ account_id: accountId, id, request_id: requestId }));
  return await readReplies(query, toArrays(AWAITED, rows));
}

const CHANGES = { name: pg.text, place: pg.int4, state: pg.text, isDone: pg.bool };

const note = defineStatement(
  { ...SESSION, streamId: value<string>(), changes: value<string>() },
  ({ accountId, id, streamId, changes }) =>
    returning(
      { watched: mcpSessions.watched, event: mcpSessions.event },
      sql`
      WITH g AS MATERIALIZED (SELECT * FROM json_to_recordset(${changes}::text::json) AS g (${sql.raw(recordColumns(CHANGES))}))
      UPDATE mcp_sessions s SET event = s.event + (SELECT count(*)::int FROM g), watched = s.watched || (
        SELECT jsonb_object_agg(g.name, jsonb_strip_nulls(jsonb_build_object('event', s.event + g.place, 'isDone', g."isDone"))
          || jsonb_build_object('state', g.state))
        FROM g WHERE s.watched ? g.name)
      WHERE s.account_id = ${accountId} AND s.id = ${id} AND s.stream_id = ${streamId} AND s.ended_at IS NULL
        AND s.watched ?| ARRAY(SELECT g.name FROM g)
      RETURNING s.watched, s.event`,
    ),
);

/** A change that a client is notified of. */
export interface NotedChange {
  readonly name: string;
  readonly state: string | null;
  readonly isDone: boolean;
}

/**
 * Records changes as notified, each with the number of its event, before they are sent: what is lost on the way can be repeated, and no other
 * process sends it too. Null if the stream no longer sends the events of its session.
 */
export async function noteChanges(
  query: Query,
  { accountId, id, streamId }: { readonly accountId: string; readonly id: string; readonly streamId: string },
  changes: readonly NotedChange[],
): Promise<RowOf<typeof note> | null> {
  const listed = changes.map(({ name, state, isDone }, at) => ({
    name,
    state,
    place: at + 1,
    ...(isDone ? { isDone } : {}),
  }));
  const [row] = await note(query, { accountId, id, streamId, changes: JSON.stringify(listed) });
  return row ?? null;
}

const KEYS = { account_id: mcpSessions.accountId, id: mcpSessions.keyId };

const readKeys = defineStatement({ ...arraysOf(KEYS), now: value<Date>() }, ({ now, ...keys }) =>
  returning(
    {
      ...{ index: pg.int4, storedScopes: apiKeys.scopes, ipAllowlist: nullable(pg.textArray) },
      ...{ clientId: nullable(pg.text), grantorRole: nullable(members.role) },
    },
    sql`
      SELECT (f.place - 1)::int AS index, k.scopes AS "storedScopes", k.ip_allowlist AS "ipAllowlist",
        k.client_id AS "clientId", g.role AS "grantorRole"
      FROM ${unnested(KEYS, keys)} WITH ORDINALITY AS f (${columnNames(KEYS)}, place)
      JOIN api_keys k ON k.account_id = f.account_id AND k.id = f.id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${now})
      LEFT JOIN members g ON k.client_id IS NOT NULL AND g.account_id = k.account_id AND g.id = k.created_by_member`,
  ),
);

/** The keys that are neither revoked nor expired, by their place in the list. */
export async function readValidKeys(
  query: Query,
  keys: readonly { readonly accountId: string; readonly keyId: string }[],
  now: Date,
): Promise<readonly RowOf<typeof readKeys>[]> {
  const rows = keys.map(({ accountId, keyId }) => ({ account_id: accountId, id: keyId }));
  return await readKeys(query, { ...toArrays(KEYS, rows), now });
}
