import type { Query } from '../client.ts';
import { addSeatKey } from './people.ts';
import { POSTMASTER_ACCOUNT_ID } from './postmaster-account.ts';

export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly monthlyQuota: number | null;
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
  readonly ownerEmail: string | null;
}

export async function insertAccount(
  query: Query,
  account: { readonly id: string; readonly name: string; readonly now: Date },
): Promise<void> {
  await query`INSERT INTO accounts (id, name, created_at) VALUES (${account.id}, ${account.name}, ${account.now})`;
}

export interface NewMember {
  readonly accountId: string;
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly now: Date;
}

export async function insertMember(query: Query, member: NewMember): Promise<void> {
  await query`
    INSERT INTO members (account_id, id, email, role, status, joined_at)
    VALUES (${member.accountId}, ${member.id}, ${member.email}, ${member.role}, 'active', ${member.now})`;
  const { accountId, id: memberId, email, now } = member;
  await addSeatKey(query, { accountId, memberId, email, now });
}

/** Every account but the installation's own, oldest first; `id` narrows to one. */
export async function readAccounts(query: Query, id: string | null): Promise<readonly AccountRow[]> {
  return await query<AccountRow[]>`
    SELECT a.id, a.name, a.plan, a.monthly_quota AS "monthlyQuota", a.suspended_at AS "suspendedAt", a.created_at AS "createdAt",
      (SELECT email FROM members m WHERE m.account_id = a.id AND m.role = 'owner' ORDER BY m.id LIMIT 1) AS "ownerEmail"
    FROM accounts a WHERE ${id === null ? query`a.id <> ${POSTMASTER_ACCOUNT_ID}` : query`a.id = ${id}`}
    ORDER BY a.id`;
}

/** Suspends an account; false where there is none of this id. */
export async function suspendAccount(query: Query, id: string, at: Date): Promise<boolean> {
  const rows = await query`UPDATE accounts SET suspended_at = ${at} WHERE id = ${id} RETURNING id`;
  return rows.length > 0;
}

/**
 * Lets an account send again; false where there is none of this id. One that its reputation suspended is forgiven the days up to and with that
 * of `now`: otherwise it would be suspended again within the hour. One that is being erased stays as it is.
 */
export async function resumeAccount(query: Query, id: string, now: Date): Promise<boolean> {
  const rows = await query`
    UPDATE accounts SET suspended_at = CASE WHEN erasing_at IS NULL THEN NULL ELSE suspended_at END,
      reputation_from = CASE WHEN reputation_level = 'suspended' THEN (${now}::timestamptz AT TIME ZONE 'UTC')::date + 1 ELSE reputation_from END,
      reputation_level = CASE WHEN reputation_level = 'suspended' THEN 'good' ELSE reputation_level END
    WHERE id = ${id} RETURNING id`;
  return rows.length > 0;
}

/** Sets after how many hours an undecided hold of the account expires, from here on; false where there is no such account. */
export async function setHoldHours(query: Query, id: string, hours: number): Promise<boolean> {
  const rows = await query`UPDATE accounts SET approval_hours = ${hours} WHERE id = ${id} RETURNING id`;
  return rows.length > 0;
}

export interface UsageRow {
  readonly monthlyQuota: number | null;
  readonly used: number;
}

export async function readUsage(query: Query, accountId: string, month: string): Promise<UsageRow> {
  const [row] = await query<UsageRow[]>`
    SELECT a.monthly_quota AS "monthlyQuota", coalesce(u.used, 0) AS used
    FROM accounts a LEFT JOIN quota_usage u ON u.account_id = a.id AND u.month = ${month}::date
    WHERE a.id = ${accountId}`;
  return row ?? { monthlyQuota: 0, used: 0 };
}

/** A fact about the whole installation, such as which account the first start made. */
export async function readInstallationFact(query: Query, name: string): Promise<string | null> {
  const [row] = await query<{ value: string }[]>`SELECT value FROM installation WHERE name = ${name}`;
  return row?.value ?? null;
}

/** Writes a fact once; the first writer wins, and everybody reads what that one wrote. */
export async function writeInstallationFact(query: Query, name: string, value: string): Promise<string> {
  await query`INSERT INTO installation (name, value) VALUES (${name}, ${value}) ON CONFLICT (name) DO NOTHING`;
  return (await readInstallationFact(query, name)) ?? value;
}
