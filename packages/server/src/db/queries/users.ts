import type { Role } from '@postrider/core';
import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, type Column, eq, isNull, type SQL, sql } from '../drizzle.ts';
import { executing, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { apiKeys } from '../schema/keys.ts';
import { identities, members, users } from '../schema/users.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/** For members: the seat is accepted, not only offered. */
export const isActive = eq(members.status, sql`'active'`);

/** The address of the owner of an account; the one with the oldest seat if there are several. Null if it has none. */
export function ownerEmailOf(accountId: Column | SQL<string>) {
  return builder
    .select({ email: members.email })
    .from(members)
    .where(and(eq(members.accountId, accountId), eq(members.role, sql`'owner'`)))
    .orderBy(members.id)
    .limit(1);
}

function hasAddress(email: SQL<string>): SQL {
  return sql`lower(${members.email}) = lower(${email})`;
}

const findSeat = defineStatement({ email: members.email }, ({ email }) =>
  builder
    .select(named({ id: members.id }))
    .from(members)
    .where(hasAddress(email))
    .limit(1),
);

/** Whether this address has a seat or an invitation to one. */
export async function hasSeat(query: Query, email: string): Promise<boolean> {
  return (await findSeat(query, { email })).length > 0;
}

const ensure = defineStatement(
  { id: users.id, email: users.email, name: users.name, now: users.createdAt },
  ({ id, email, name, now }) =>
    returning(
      { id: users.id },
      sql`
        INSERT INTO users AS u (id, email, name, created_at) VALUES (${id}, ${email}, ${name}, ${now})
        ON CONFLICT (lower(email)) DO UPDATE SET name = coalesce(u.name, excluded.name) RETURNING u.id`,
    ),
);

/**
 * The user with this address, created if there is none. The row stays locked, so that one of two concurrent sign-ins with a new address
 * waits for the other.
 */
export async function ensureUser(
  query: Query,
  user: { readonly id: string; readonly email: string; readonly name: string | null; readonly now: Date },
): Promise<string> {
  const [row] = await ensure(query, user);
  if (row === undefined) throw new Error('a user who was neither found nor created');
  return row.id;
}

const find = defineStatement({ issuer: identities.issuer, subject: identities.subject }, ({ issuer, subject }) =>
  builder
    .select(named({ userId: users.id, email: users.email }))
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject))),
);

/** The id and address of the user that a provider knows by this name; null if no user is linked to it. */
export async function findIdentity(
  query: Query,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<RowOf<typeof find> | null> {
  const [row] = await find(query, { issuer, subject });
  return row ?? null;
}

export const insertIdentity = defineStatement(
  {
    ...{ issuer: identities.issuer, subject: identities.subject },
    ...{ userId: identities.userId, now: identities.createdAt },
  },
  ({ now, ...identity }) =>
    builder
      .insert(identities)
      .values({ ...identity, createdAt: now })
      .onConflictDoNothing({ target: [identities.issuer, identities.subject] }),
);

const take = defineStatement({ userId: users.id, email: members.email, now: value<Date>() }, ({ userId, email, now }) =>
  returning(
    { accountId: members.accountId, memberId: members.id, role: members.role, status: members.status },
    sql`
      WITH waiting AS MATERIALIZED (
        SELECT account_id, id, status FROM members WHERE ${hasAddress(email)} AND user_id IS NULL FOR UPDATE)
      UPDATE members m SET user_id = ${userId}, status = 'active', joined_at = coalesce(m.joined_at, ${now})
      FROM waiting w WHERE m.account_id = w.account_id AND m.id = w.id
      RETURNING m.account_id AS "accountId", m.id AS "memberId", m.role, w.status`,
  ),
);

/** Gives the user every seat that waits for their address. Returns the invitations that they accept by this. */
export async function takeSeats(
  query: Query,
  { userId, email, now }: { readonly userId: string; readonly email: string; readonly now: Date },
): Promise<readonly { readonly accountId: string; readonly memberId: string; readonly role: Role }[]> {
  const joined = await take(query, { userId, email, now });
  for (const { accountId, memberId } of joined) await addSeatKey(query, { accountId, memberId, email, now });
  return joined.filter(({ status }) => status === 'invited');
}

/** Gets or creates the key that a member acts under. */
export const addSeatKey = defineStatement(
  {
    ...{ accountId: members.accountId, memberId: members.id },
    ...{ email: members.email, now: value<Date>() },
  },
  ({ accountId, memberId, email, now }) =>
    executing(
      sql`SELECT FROM add_seat_key(${accountId}::uuid, ${memberId}::uuid, ${email}::text, ${now}::timestamptz)`,
    ),
);

const findEmail = defineStatement({ userId: users.id }, ({ userId }) =>
  builder
    .select(named({ email: users.email }))
    .from(users)
    .where(eq(users.id, userId)),
);

/** The address that a user signs in with; null if the user is gone. */
export async function findUserEmail(query: Query, userId: string): Promise<string | null> {
  const [row] = await findEmail(query, { userId });
  return row?.email ?? null;
}

const read = defineStatement({ userId: users.id }, ({ userId }) =>
  builder
    .select(
      named({
        ...{ accountId: members.accountId, accountName: accounts.name },
        ...{ memberId: members.id, role: members.role },
      }),
    )
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.accountId))
    .innerJoin(
      apiKeys,
      and(eq(apiKeys.accountId, members.accountId), eq(apiKeys.id, members.id), isNull(apiKeys.revokedAt)),
    )
    .where(and(eq(members.userId, userId), isActive, isNull(accounts.erasingAt)))
    .orderBy(members.joinedAt, members.id),
);

/** A user's seat in an account. */
export type SeatRow = RowOf<typeof read>;

/** The seats of a user, in the order in which they joined. Leaves out accounts that are being erased. */
export async function readSeats(query: Query, userId: string): Promise<readonly SeatRow[]> {
  return await read(query, { userId });
}

const forget = defineStatement({}, () =>
  executing(sql`DELETE FROM users u WHERE NOT EXISTS (SELECT FROM members m WHERE m.user_id = u.id)`),
);

/** Removes the users that have no seat in any account. */
export async function forgetUnseated(query: Query): Promise<void> {
  await forget(query, {});
}
