import type { Query } from '../client.ts';

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
}

/** Every account, oldest first; `id` narrows to one. */
export async function readAccounts(query: Query, id: string | null): Promise<readonly AccountRow[]> {
  return await query<AccountRow[]>`
    SELECT a.id, a.name, a.plan, a.monthly_quota AS "monthlyQuota", a.suspended_at AS "suspendedAt", a.created_at AS "createdAt",
      (SELECT email FROM members m WHERE m.account_id = a.id AND m.role = 'owner' ORDER BY m.id LIMIT 1) AS "ownerEmail"
    FROM accounts a ${id === null ? query`` : query`WHERE a.id = ${id}`}
    ORDER BY a.id`;
}

/** Suspends (a time) or resumes (null); false where there is no such account. */
export async function setSuspended(query: Query, id: string, at: Date | null): Promise<boolean> {
  const rows = await query`UPDATE accounts SET suspended_at = ${at} WHERE id = ${id} RETURNING id`;
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
