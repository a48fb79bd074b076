import type { Role } from '@postrider/core';
import type { Query } from '../client.ts';

export interface SeatRow {
  readonly accountId: string;
  readonly accountName: string;
  readonly memberId: string;
  readonly role: Role;
}

/** Whether somebody has a seat under this address, or is invited to one. */
export async function hasSeat(query: Query, email: string): Promise<boolean> {
  const rows = await query`SELECT 1 FROM members WHERE lower(email) = lower(${email}) LIMIT 1`;
  return rows.length > 0;
}

/**
 * The person of an address, made where there is none. The row is locked from here on, so that of two who sign in at once with a new address one
 * waits for the other.
 */
export async function ensureUser(
  query: Query,
  user: { readonly id: string; readonly email: string; readonly name: string | null; readonly now: Date },
): Promise<string> {
  const [row] = await query<{ id: string }[]>`
    INSERT INTO users AS u (id, email, name, created_at) VALUES (${user.id}, ${user.email}, ${user.name}, ${user.now})
    ON CONFLICT (lower(email)) DO UPDATE SET name = coalesce(u.name, excluded.name) RETURNING u.id`;
  if (row === undefined) throw new Error('a person who was neither found nor made');
  return row.id;
}

/** Whom a provider knows by this name: the person's id and address; null where nobody is linked to it. */
export async function findIdentity(
  query: Query,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<{ readonly userId: string; readonly email: string } | null> {
  const [row] = await query<{ userId: string; email: string }[]>`
    SELECT u.id AS "userId", u.email FROM identities i JOIN users u ON u.id = i.user_id
    WHERE i.issuer = ${issuer} AND i.subject = ${subject}`;
  return row ?? null;
}

export async function insertIdentity(
  query: Query,
  identity: { readonly issuer: string; readonly subject: string; readonly userId: string; readonly now: Date },
): Promise<void> {
  await query`
    INSERT INTO identities (issuer, subject, user_id, created_at)
    VALUES (${identity.issuer}, ${identity.subject}, ${identity.userId}, ${identity.now}) ON CONFLICT (issuer, subject) DO NOTHING`;
}

/** Gives the person every seat that waits under their address; answers those they were invited to, which they join by it. */
export async function takeSeats(
  query: Query,
  { userId, email, now }: { readonly userId: string; readonly email: string; readonly now: Date },
): Promise<readonly { readonly accountId: string; readonly memberId: string; readonly role: Role }[]> {
  const joined = await query<{ accountId: string; memberId: string; role: Role }[]>`
    WITH waiting AS MATERIALIZED (
      SELECT account_id, id, status FROM members WHERE lower(email) = lower(${email}) AND user_id IS NULL FOR UPDATE)
    UPDATE members m SET user_id = ${userId}, status = 'active', joined_at = coalesce(m.joined_at, ${now})
    FROM waiting w WHERE m.account_id = w.account_id AND m.id = w.id
    RETURNING m.account_id AS "accountId", m.id AS "memberId", m.role, w.status`;
  for (const { accountId, memberId } of joined) await addSeatKey(query, { accountId, memberId, email, now });
  return joined.filter((seat) => 'status' in seat && seat.status === 'invited');
}

/** The key that a member acts under; there already where they had one. */
export async function addSeatKey(
  query: Query,
  seat: { readonly accountId: string; readonly memberId: string; readonly email: string; readonly now: Date },
): Promise<void> {
  await query`SELECT add_seat_key(${seat.accountId}::uuid, ${seat.memberId}::uuid, ${seat.email}::text, ${seat.now}::timestamptz)`;
}

/** The seats of a person, the one they joined first coming first; none of an account that is being erased. */
export async function readSeats(query: Query, userId: string): Promise<readonly SeatRow[]> {
  return await query<SeatRow[]>`
    SELECT m.account_id AS "accountId", a.name AS "accountName", m.id AS "memberId", m.role
    FROM members m JOIN accounts a ON a.id = m.account_id
    JOIN api_keys k ON k.account_id = m.account_id AND k.id = m.id AND k.revoked_at IS NULL
    WHERE m.user_id = ${userId} AND m.status = 'active' AND a.erasing_at IS NULL
    ORDER BY m.joined_at, m.id`;
}

/** Forgets whoever has no seat anywhere any more. */
export async function forgetUnseated(query: Query): Promise<void> {
  await query`DELETE FROM users u WHERE NOT EXISTS (SELECT FROM members m WHERE m.user_id = u.id)`;
}
