import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, desc, eq, gt, ne, sql } from '../drizzle.ts';
import { accounts } from '../schema/accounts.ts';
import { deviceCodes, type SessionKind, sessions } from '../schema/sessions.ts';
import { defineStatement, optional, type RowOf, value } from '../statement.ts';
import { type EndedSessionRow, endedSession } from './sessions.ts';

const columns = {
  ...{ id: sessions.id, kind: sessions.kind, client: sessions.client, address: sessions.address },
  ...{ accountId: sessions.accountId, accountName: accounts.name, memberId: sessions.memberId },
  ...{ mayDecide: sessions.mayDecide, startedAt: sessions.createdAt, seenAt: sessions.seenAt },
};

const read = defineStatement(
  { userId: sessions.userId, seenBefore: sessions.seenAt, startedBefore: sessions.createdAt, limit: value<number>() },
  ({ userId, seenBefore, startedBefore, limit }) =>
    builder
      .select(named({ ...columns, total: sql<number>`count(*) OVER ()::int` }))
      .from(sessions)
      .innerJoin(accounts, eq(accounts.id, sessions.accountId))
      .where(and(eq(sessions.userId, userId), gt(sessions.seenAt, seenBefore), gt(sessions.createdAt, startedBefore)))
      .orderBy(desc(sessions.seenAt), desc(sessions.id))
      .limit(limit),
);

/** Which sessions have not expired: those last seen and created after these times. */
export interface SessionHorizons {
  readonly seenBefore: Date;
  readonly startedBefore: Date;
}

/** The sessions of a user that have not expired, most recently seen first, and their total number. */
export async function readOwnSessions(
  query: Query,
  { userId, seenBefore, startedBefore }: SessionHorizons & { readonly userId: string },
  limit: number,
): Promise<{ readonly rows: readonly OwnSessionRow[]; readonly total: number }> {
  const rows = await read(query, { userId, seenBefore, startedBefore, limit });
  return { rows, total: rows[0]?.total ?? 0 };
}

const lock = defineStatement({ userId: sessions.userId, id: sessions.id }, ({ userId, id }) =>
  builder
    .select(named(columns))
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(and(eq(sessions.userId, userId), eq(sessions.id, id)))
    .for('update', { of: sessions }),
);

/** A session of a user, as the user sees it. */
export type OwnSessionRow = RowOf<typeof lock>;

/** One of the user's sessions, locked; null if the user has none with this id. */
export async function lockOwnSession(query: Query, userId: string, id: string): Promise<OwnSessionRow | null> {
  const [row] = await lock(query, { userId, id });
  return row ?? null;
}

const remove = defineStatement({ userId: sessions.userId, id: sessions.id }, ({ userId, id }) =>
  builder.delete(sessions).where(and(eq(sessions.userId, userId), eq(sessions.id, id))),
);

export async function deleteOwnSession(query: Query, userId: string, id: string): Promise<void> {
  await remove(query, { userId, id });
}

const removeOthers = defineStatement(
  { userId: sessions.userId, exceptId: optional(sessions.id), kind: optional(sessions.kind) },
  ({ userId, exceptId, kind }) =>
    builder
      .delete(sessions)
      .where(and(eq(sessions.userId, userId), exceptId && ne(sessions.id, exceptId), kind && eq(sessions.kind, kind)))
      .returning(named(endedSession)),
);

/** Ends the sessions of a user. @param exceptId ends all except this one; null: all @param kind ends only sessions of this kind; null: of every kind */
export async function deleteOtherSessions(
  query: Query,
  others: { readonly userId: string; readonly exceptId: string | null; readonly kind: SessionKind | null },
): Promise<readonly EndedSessionRow[]> {
  return await removeOthers(query, others);
}

const removeOfPasskey = defineStatement({ passkeyId: value<string>() }, ({ passkeyId }) =>
  builder
    .delete(sessions)
    .where(eq(sessions.passkeyId, sql`${passkeyId}::uuid`))
    .returning(named(endedSession)),
);

/** Ends the sessions that were started with a passkey. */
export async function deleteSessionsOfPasskey(query: Query, passkeyId: string): Promise<readonly EndedSessionRow[]> {
  return await removeOfPasskey(query, { passkeyId });
}

const removeCodes = defineStatement({ userId: deviceCodes.userId }, ({ userId }) =>
  builder.delete(deviceCodes).where(eq(deviceCodes.userId, userId)),
);

/** Deletes the device codes that the user confirmed, so that devices that have not fetched their token never can. */
export async function deleteConfirmedCodes(query: Query, userId: string): Promise<void> {
  await removeCodes(query, { userId });
}
