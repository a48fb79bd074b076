import type { Query } from '../client.ts';
import type { SessionKind } from '../schema/sessions.ts';

/** A session of a user, as they see it. */
export interface OwnSessionRow {
  readonly id: string;
  readonly kind: SessionKind;
  readonly client: string | null;
  readonly address: string | null;
  readonly accountId: string;
  readonly accountName: string;
  readonly memberId: string;
  readonly mayDecide: boolean;
  readonly startedAt: Date;
  readonly seenAt: Date;
}

/** Which sessions have not run out: last seen and begun later than this. */
export interface SessionHorizons {
  readonly seenBefore: Date;
  readonly startedBefore: Date;
}

/** The sessions of a user that have not run out, the one seen last first; and how many there are of all. */
export async function readOwnSessions(
  query: Query,
  { userId, seenBefore, startedBefore }: SessionHorizons & { readonly userId: string },
  limit: number,
): Promise<{ readonly rows: readonly OwnSessionRow[]; readonly total: number }> {
  const rows = await query<(OwnSessionRow & { readonly total: number })[]>`
    SELECT ${columns(query)}, count(*) OVER ()::int AS total FROM sessions s JOIN accounts a ON a.id = s.account_id
    WHERE s.user_id = ${userId} AND s.seen_at > ${seenBefore} AND s.created_at > ${startedBefore}
    ORDER BY s.seen_at DESC, s.id DESC LIMIT ${limit}`;
  return { rows, total: rows[0]?.total ?? 0 };
}

/** One of them, locked; null where the user has none of this id. */
export async function lockOwnSession(query: Query, userId: string, id: string): Promise<OwnSessionRow | null> {
  const [row] = await query<OwnSessionRow[]>`
    SELECT ${columns(query)} FROM sessions s JOIN accounts a ON a.id = s.account_id
    WHERE s.user_id = ${userId} AND s.id = ${id} FOR UPDATE OF s`;
  return row ?? null;
}

/** What has ended: the account that notes it, and in whose seat. */
export interface EndedSessionRow {
  readonly id: string;
  readonly accountId: string;
  readonly memberId: string;
}

export async function deleteOwnSession(query: Query, userId: string, id: string): Promise<void> {
  await query`DELETE FROM sessions WHERE user_id = ${userId} AND id = ${id}`;
}

/** Ends all sessions of a user but one. @param kind of these alone; null: of every kind */
export async function deleteOtherSessions(
  query: Query,
  { userId, exceptId, kind }: { readonly userId: string; readonly exceptId: string; readonly kind: SessionKind | null },
): Promise<readonly EndedSessionRow[]> {
  return await query<EndedSessionRow[]>`
    DELETE FROM sessions WHERE user_id = ${userId} AND id <> ${exceptId} AND (${kind}::text IS NULL OR kind = ${kind})
    RETURNING id, account_id AS "accountId", member_id AS "memberId"`;
}

/** Devices that the user confirmed and that have not fetched their token never will. */
export async function deleteConfirmedCodes(query: Query, userId: string): Promise<void> {
  await query`DELETE FROM device_codes WHERE user_id = ${userId}`;
}

function columns(query: Query) {
  return query`s.id, s.kind, s.client, s.address, s.account_id AS "accountId", a.name AS "accountName", s.member_id AS "memberId",
    s.may_decide AS "mayDecide", s.created_at AS "startedAt", s.seen_at AS "seenAt"`;
}
