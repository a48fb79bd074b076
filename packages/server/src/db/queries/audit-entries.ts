import type { Query } from '../client.ts';

export interface AuditEntryRow {
  readonly id: string;
  readonly seq: number;
  readonly action: string;
  readonly actor: string;
  readonly targetId: string | null;
  readonly details: Record<string, unknown>;
  readonly createdAt: Date;
  readonly hash: string;
  readonly previousHash: string;
}

/** Null asks for nothing; all else must match. */
interface AuditFilter {
  readonly accountId: string;
  /** A whole action, or its noun. */
  readonly action: string | null;
  readonly actor: string | null;
  readonly targetId: string | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

/**
 * One page of an account's audit log, newest first: by the chain's own order, since ids made at the same time in several processes may stand
 * the other way round.
 */
export async function listAuditEntries(
  query: Query,
  filter: AuditFilter & { readonly beforeId: string | null; readonly limit: number },
): Promise<readonly AuditEntryRow[]> {
  const { accountId, beforeId, limit } = filter;
  return await query<AuditEntryRow[]>`
    SELECT id, seq::float8 AS seq, action, actor, target_id AS "targetId", details, created_at AS "createdAt", hash,
      previous_hash AS "previousHash"
    FROM audit_log l WHERE ${matches(query, filter)}
      ${
        beforeId === null
          ? query``
          : query`AND l.seq < (SELECT b.seq FROM audit_log b WHERE b.account_id = ${accountId} AND b.id = ${beforeId})`
      }
    ORDER BY l.seq DESC LIMIT ${limit}`;
}

/** Counts matches, but never past `cap`. */
export async function countAuditEntries(query: Query, filter: AuditFilter & { readonly cap: number }): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM audit_log l WHERE ${matches(query, filter)} LIMIT ${filter.cap}) AS matches`;
  return row?.count ?? 0;
}

function matches(query: Query, { accountId, action, actor, targetId, from, to }: AuditFilter) {
  return query`l.account_id = ${accountId}
    ${action === null ? query`` : query`AND (l.action = ${action} OR starts_with(l.action, ${`${action}.`}))`}
    ${actor === null ? query`` : query`AND l.actor = ${actor}`}
    ${targetId === null ? query`` : query`AND l.target_id = ${targetId}`}
    ${from === null ? query`` : query`AND l.created_at >= ${from}`}
    ${to === null ? query`` : query`AND l.created_at < ${to}`}`;
}

/**
 * When that invitation was given that is so many back from the account's last one; null where fewer were given since then.
 * @param since the time, and the least id of that time: by the key of the table what is older is left out
 */
export async function findInvitation(
  query: Query,
  {
    accountId,
    since,
    rank,
  }: {
    readonly accountId: string;
    readonly since: { readonly at: Date; readonly id: string };
    readonly rank: number;
  },
): Promise<Date | null> {
  const [row] = await query<{ createdAt: Date }[]>`
    SELECT l.created_at AS "createdAt" FROM audit_log l
    WHERE l.account_id = ${accountId} AND l.id >= ${since.id} AND l.created_at > ${since.at}
      AND l.action = 'member.invited'
    ORDER BY l.id DESC OFFSET ${rank - 1} LIMIT 1`;
  return row?.createdAt ?? null;
}
