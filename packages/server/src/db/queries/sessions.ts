import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, isNull, lte, or, sql } from '../drizzle.ts';
import { accounts } from '../schema/accounts.ts';
import { apiKeys } from '../schema/keys.ts';
import { codeTries, deviceCodes, magicLinks, type SessionKind, sessions } from '../schema/sessions.ts';
import { members, users } from '../schema/users.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { callerColumns } from './api-keys.ts';
import { isActive } from './users.ts';

const TOKEN = { hash: sessions.tokenHash, kind: sessions.kind };

const ofSeat = and(eq(members.accountId, sessions.accountId), eq(members.id, sessions.memberId), isActive);

const find = defineStatement(TOKEN, ({ hash, kind }) =>
  builder
    .select(
      named({
        ...callerColumns,
        sessionId: sessions.id,
        userId: sessions.userId,
        memberId: members.id,
        email: members.email,
        name: users.name,
        role: members.role,
        kind: sessions.kind,
        /** Whether the session may decide held sends if the role may; always true in a browser. */
        mayDecide: sessions.mayDecide,
        /** How the client identified itself; null if that was not recorded. */
        client: sessions.client,
        startedAt: sessions.createdAt,
        seenAt: sessions.seenAt,
      }),
    )
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(members, ofSeat)
    .innerJoin(
      apiKeys,
      and(eq(apiKeys.accountId, members.accountId), eq(apiKeys.id, members.id), isNull(apiKeys.revokedAt)),
    )
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(and(eq(sessions.tokenHash, hash), eq(sessions.kind, kind))),
);

/** A session with its current seat, and the key of that seat. */
export type SessionRow = RowOf<typeof find>;

/** The session with a token of this kind; null if there is none or its seat is gone. Expired sessions are returned too. */
export async function findSession(query: Query, hash: Buffer, kind: SessionKind): Promise<SessionRow | null> {
  const [row] = await find(query, { hash, kind });
  return row ?? null;
}

export const insertSession = defineStatement(
  {
    ...{ id: sessions.id, userId: sessions.userId, accountId: sessions.accountId, memberId: sessions.memberId },
    ...{ kind: sessions.kind, mayDecide: sessions.mayDecide, client: sessions.client, address: sessions.address },
    ...{ hash: sessions.tokenHash, now: sessions.createdAt, passkeyId: sessions.passkeyId },
  },
  ({ hash, now, ...session }) =>
    builder.insert(sessions).values({ ...session, tokenHash: hash, createdAt: now, seenAt: now }),
);

/** The data for the audit log of an ended session: the account and the seat. */
export const endedSession = { id: sessions.id, accountId: sessions.accountId, memberId: sessions.memberId };

export type EndedSessionRow = Readonly<Pick<typeof sessions.$inferSelect, keyof typeof endedSession>>;

const remove = defineStatement(TOKEN, ({ hash, kind }) =>
  builder
    .delete(sessions)
    .where(and(eq(sessions.tokenHash, hash), eq(sessions.kind, kind)))
    .returning(named(endedSession)),
);

/** Ends a session; null if none has this token. */
export async function deleteSession(query: Query, hash: Buffer, kind: SessionKind): Promise<EndedSessionRow | null> {
  const [row] = await remove(query, { hash, kind });
  return row ?? null;
}

const move = defineStatement(
  { id: sessions.id, accountId: sessions.accountId, memberId: sessions.memberId },
  ({ id, accountId, memberId }) => {
    const stays = or(eq(sessions.kind, sql`'cookie'`), eq(sessions.accountId, accountId));
    return builder
      .update(sessions)
      .set({ mayDecide: sql`${sessions.mayDecide} AND ${stays}`, accountId, memberId })
      .where(eq(sessions.id, id));
  },
);

/** Moves a session to another seat of the same user. A device session may decide only in the account that it was confirmed in. */
export async function moveSession(
  query: Query,
  id: string,
  { accountId, memberId }: { readonly accountId: string; readonly memberId: string },
): Promise<void> {
  await move(query, { id, accountId, memberId });
}

const touch = defineStatement({ ids: value<readonly string[]>(), now: sessions.seenAt }, ({ ids, now }) =>
  builder.update(sessions).set({ seenAt: now }).where(sql`${sessions.id} = ANY (${ids}::uuid[])`),
);

export async function touchSessions(query: Query, ids: readonly string[], now: Date): Promise<void> {
  await touch(query, { ids, now });
}

const purgeSessions = defineStatement(
  { seenBefore: sessions.seenAt, startedBefore: sessions.createdAt },
  ({ seenBefore, startedBefore }) =>
    builder.delete(sessions).where(or(lte(sessions.seenAt, seenBefore), lte(sessions.createdAt, startedBefore))),
);

const purgeLinks = defineStatement({ now: magicLinks.expiresAt }, ({ now }) =>
  builder.delete(magicLinks).where(lte(magicLinks.expiresAt, now)),
);

const purgeCodes = defineStatement({ before: deviceCodes.expiresAt }, ({ before }) =>
  builder.delete(deviceCodes).where(lte(deviceCodes.expiresAt, before)),
);

const purgeTries = defineStatement({ before: codeTries.lastAt }, ({ before }) =>
  builder.delete(codeTries).where(lte(codeTries.lastAt, before)),
);

/**
 * Removes expired sessions, links, device codes and counts of tries. `codesBefore` is earlier than the start of any count that still
 * applies.
 */
export async function purgeSignIns(
  query: Query,
  limits: { readonly now: Date; readonly seenBefore: Date; readonly startedBefore: Date; readonly codesBefore: Date },
): Promise<void> {
  const { now, seenBefore, startedBefore, codesBefore: before } = limits;
  await purgeSessions(query, { seenBefore, startedBefore });
  await purgeLinks(query, { now });
  await purgeCodes(query, { before });
  await purgeTries(query, { before });
}

const findRole = defineStatement({ id: sessions.id, accountId: sessions.accountId }, ({ id, accountId }) =>
  builder
    .select(named({ role: members.role, mayDecide: sessions.mayDecide }))
    .from(sessions)
    .innerJoin(members, ofSeat)
    .where(and(eq(sessions.id, id), eq(sessions.accountId, accountId))),
);

/** What a session in this account may do by its role; null if the session has ended or moved, or its seat is gone. */
export async function findSessionRole(
  query: Query,
  id: string,
  accountId: string,
): Promise<RowOf<typeof findRole> | null> {
  const [row] = await findRole(query, { id, accountId });
  return row ?? null;
}

const findRoles = defineStatement({ ids: value<readonly string[]>() }, ({ ids }) =>
  builder
    .select(
      named({
        ...{ id: sessions.id, accountId: sessions.accountId, role: members.role, mayDecide: sessions.mayDecide },
        ...{ startedAt: sessions.createdAt, seenAt: sessions.seenAt },
      }),
    )
    .from(sessions)
    .innerJoin(members, ofSeat)
    .innerJoin(
      apiKeys,
      and(eq(apiKeys.accountId, members.accountId), eq(apiKeys.id, members.id), isNull(apiKeys.revokedAt)),
    )
    .where(sql`${sessions.id} = ANY (${ids}::uuid[])`),
);

/** Where these sessions are, and what they may do by their roles. Omits those that were ended, and those whose seat is gone. */
export async function findSessionRoles(
  query: Query,
  ids: readonly string[],
): Promise<readonly RowOf<typeof findRoles>[]> {
  return await findRoles(query, { ids });
}
