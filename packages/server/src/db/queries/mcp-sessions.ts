import { LIMITS } from '@postrider/core';
import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { unnested } from '../record-columns.ts';
import { executing, returning } from '../result.ts';
import { mcpSessions } from '../schema/mcp-sessions.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const SESSION = { accountId: mcpSessions.accountId, id: mcpSessions.id };
const OWNED = { ...SESSION, keyId: mcpSessions.keyId, now: mcpSessions.seenAt };

/** A session with the key that it belongs to. */
export interface SessionOfKey {
  readonly accountId: string;
  readonly id: string;
  readonly keyId: string;
}

const read = defineStatement(SESSION, ({ accountId, id }) =>
  returning(
    { logLevel: mcpSessions.logLevel, seenAt: mcpSessions.seenAt, endedAt: mcpSessions.endedAt },
    sql`
      SELECT log_level AS "logLevel", seen_at AS "seenAt", ended_at AS "endedAt" FROM mcp_sessions
      WHERE account_id = ${accountId} AND id = ${id}`,
  ),
);

/** What is stored of a session; null if it has changed nothing yet. */
export async function readMcpSession(query: Query, accountId: string, id: string): Promise<RowOf<typeof read> | null> {
  const [row] = await read(query, { accountId, id });
  return row ?? null;
}

const touch = defineStatement(
  { ids: value<readonly string[]>(), accountIds: value<readonly string[]>(), now: mcpSessions.seenAt },
  ({ ids, accountIds, now }) =>
    executing(sql`
    UPDATE mcp_sessions s SET seen_at = ${now}
    FROM ${unnested({ account_id: mcpSessions.accountId, id: mcpSessions.id }, { account_id: accountIds, id: ids })} AS t (account_id, id)
    WHERE s.account_id = t.account_id AND s.id = t.id AND s.ended_at IS NULL`),
);

/** Records that these sessions are in use. */
export async function touchMcpSessions(
  query: Query,
  sessions: readonly { readonly accountId: string; readonly id: string }[],
  now: Date,
): Promise<void> {
  if (sessions.length === 0) return;
  await touch(query, {
    accountIds: sessions.map(({ accountId }) => accountId),
    ids: sessions.map(({ id }) => id),
    now,
  });
}

const watch = defineStatement(
  { ...OWNED, name: value<string>(), entry: value<string>() },
  ({ accountId, id, keyId, now, name, entry }) =>
    returning(
      { revision: mcpSessions.revision },
      sql`
      INSERT INTO mcp_sessions AS s (account_id, id, key_id, seen_at, watched)
      VALUES (${accountId}, ${id}, ${keyId}, ${now}, jsonb_build_object(${name}::text, ${entry}::text::jsonb))
      ON CONFLICT (account_id, id) DO UPDATE SET
        watched = excluded.watched || (
          SELECT coalesce(jsonb_object_agg(w.key, w.value), '{}') FROM jsonb_each(s.watched) w
          WHERE w.value -> 'isDone' IS NULL OR (SELECT count(*) FROM jsonb_object_keys(s.watched)) < ${LIMITS.mcpSubscriptionsPerSession}),
        revision = s.revision + 1, seen_at = excluded.seen_at
      WHERE s.ended_at IS NULL AND (s.watched ? ${name}::text OR ${LIMITS.mcpSubscriptionsPerSession} > (
        SELECT count(*) FROM jsonb_each(s.watched) w WHERE w.value -> 'isDone' IS NULL))
      RETURNING revision`,
    ),
);

/**
 * Adds something to what a session watches, unless it is there already. `isFirst` if that is the first change of the session. Null if it
 * watches as much as it may, or has ended.
 */
export async function addWatched(
  query: Query,
  session: SessionOfKey,
  { name, state, now }: { readonly name: string; readonly state: string | null; readonly now: Date },
): Promise<{ readonly isFirst: boolean } | null> {
  const [row] = await watch(query, { ...session, now, name, entry: JSON.stringify({ state, event: 0 }) });
  return row === undefined ? null : { isFirst: row.revision === 1 };
}

const unwatch = defineStatement({ ...SESSION, name: value<string>() }, ({ accountId, id, name }) =>
  executing(sql`
    UPDATE mcp_sessions SET watched = watched - ${name}::text, revision = revision + 1
    WHERE account_id = ${accountId} AND id = ${id} AND watched ? ${name}::text`),
);

export async function removeWatched(query: Query, accountId: string, id: string, name: string): Promise<void> {
  await unwatch(query, { accountId, id, name });
}

const level = defineStatement({ ...OWNED, logLevel: value<string>() }, ({ accountId, id, keyId, now, logLevel }) =>
  returning(
    { revision: mcpSessions.revision },
    sql`
      INSERT INTO mcp_sessions AS s (account_id, id, key_id, seen_at, log_level) VALUES (${accountId}, ${id}, ${keyId}, ${now}, ${logLevel})
      ON CONFLICT (account_id, id) DO UPDATE SET log_level = excluded.log_level, revision = s.revision + 1, seen_at = excluded.seen_at
      WHERE s.ended_at IS NULL
      RETURNING revision`,
  ),
);

/** Stores the least severe level of log messages that the client wants. True if that is the first change of the session. */
export async function storeLogLevel(
  query: Query,
  session: SessionOfKey,
  logLevel: string,
  now: Date,
): Promise<boolean> {
  const [row] = await level(query, { ...session, logLevel, now });
  return row?.revision === 1;
}

const end = defineStatement(OWNED, ({ accountId, id, keyId, now }) =>
  returning(
    { revision: mcpSessions.revision },
    sql`
      INSERT INTO mcp_sessions AS s (account_id, id, key_id, seen_at, ended_at) VALUES (${accountId}, ${id}, ${keyId}, ${now}, ${now})
      ON CONFLICT (account_id, id) DO UPDATE SET ended_at = coalesce(s.ended_at, excluded.ended_at), watched = '{}', replies = '{}',
        revision = s.revision + 1
      RETURNING revision`,
  ),
);

/** Ends a session; its row remains, so that its id stays invalid. True if that is the first change of the session. */
export async function endMcpSession(query: Query, session: SessionOfKey, now: Date): Promise<boolean> {
  const [row] = await end(query, { ...session, now });
  return row?.revision === 1;
}

const bound = defineStatement(
  { accountId: mcpSessions.accountId, keyId: mcpSessions.keyId, now: mcpSessions.seenAt },
  ({ accountId, keyId, now }) =>
    executing(sql`
    WITH excess AS MATERIALIZED (
      SELECT id FROM mcp_sessions WHERE account_id = ${accountId} AND key_id = ${keyId} AND ended_at IS NULL
      ORDER BY seen_at DESC OFFSET ${LIMITS.mcpSessionsPerKey}
    ), forgotten AS (
      DELETE FROM mcp_sessions WHERE account_id = ${accountId} AND id IN (
        SELECT id FROM mcp_sessions WHERE account_id = ${accountId} AND key_id = ${keyId} AND ended_at IS NOT NULL
        ORDER BY ended_at DESC OFFSET ${LIMITS.mcpEndedSessionsPerKey})
    )
    UPDATE mcp_sessions s SET ended_at = ${now}, watched = '{}', replies = '{}', revision = revision + 1
    FROM excess WHERE s.account_id = ${accountId} AND s.id = excess.id`),
);

/** Ends the sessions of a key that are too many, those that were unused for the longest time first. */
export async function boundMcpSessions(query: Query, accountId: string, keyId: string, now: Date): Promise<void> {
  await bound(query, { accountId, keyId, now });
}

const REPLIES_MAX = 20;

const storeReply = defineStatement(
  { ...OWNED, requestId: value<string>(), reply: value<string>() },
  ({ accountId, id, keyId, now, requestId, reply }) =>
    returning(
      { revision: mcpSessions.revision },
      sql`
      INSERT INTO mcp_sessions AS s (account_id, id, key_id, seen_at, replies)
      VALUES (${accountId}, ${id}, ${keyId}, ${now}, jsonb_build_object(${requestId}::text, ${reply}::text::jsonb))
      ON CONFLICT (account_id, id) DO UPDATE SET revision = s.revision + 1, seen_at = excluded.seen_at,
        replies = CASE WHEN (SELECT count(*) FROM jsonb_object_keys(s.replies)) < ${REPLIES_MAX} THEN s.replies ELSE '{}' END || excluded.replies
      WHERE s.ended_at IS NULL
      RETURNING revision`,
    ),
);

/** Stores a client's response for the process that waits for it. True if that is the first change of the session. */
export async function addReply(
  query: Query,
  session: SessionOfKey,
  { requestId, reply, now }: { readonly requestId: string; readonly reply: unknown; readonly now: Date },
): Promise<boolean> {
  const [row] = await storeReply(query, { ...session, now, requestId, reply: JSON.stringify(reply) });
  return row?.revision === 1;
}

const dropReply = defineStatement({ ...SESSION, requestId: value<string>() }, ({ accountId, id, requestId }) =>
  executing(
    sql`UPDATE mcp_sessions SET replies = replies - ${requestId}::text WHERE account_id = ${accountId} AND id = ${id}`,
  ),
);

/** Removes a response that has arrived where it was waited for. */
export async function removeReply(query: Query, accountId: string, id: string, requestId: string): Promise<void> {
  await dropReply(query, { accountId, id, requestId });
}

const HOUR_MS = 3_600_000;

const purge = defineStatement(
  { created: value<Date>(), used: value<Date>(), now: value<Date>() },
  ({ created, used, now }) =>
    executing(sql`
    WITH idle AS (
      UPDATE mcp_sessions SET ended_at = ${now}, watched = '{}', replies = '{}', revision = revision + 1
      WHERE ended_at IS NULL AND seen_at < ${used} AND id >= uuid_v7_lower_bound(${created}::timestamptz)
    )
    DELETE FROM mcp_sessions WHERE id < uuid_v7_lower_bound(${created}::timestamptz)`),
);

/** Ends sessions that are no longer used, and removes those that are too old to be valid. */
export async function purgeMcpSessions(query: Query, now: Date): Promise<void> {
  const created = new Date(now.getTime() - LIMITS.mcpSessionDays * 24 * HOUR_MS);
  const used = new Date(now.getTime() - LIMITS.mcpSessionIdleHours * HOUR_MS);
  await purge(query, { created, used, now });
}
