import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, ne, sql } from '../drizzle.ts';
import { executing } from '../result.ts';
import { accounts, quotaUsage } from '../schema/accounts.ts';
import { installation } from '../schema/installation.ts';
import { members } from '../schema/users.ts';
import { defineStatement, optional, type RowOf, value } from '../statement.ts';
import { POSTMASTER_ACCOUNT_ID } from './postmaster-account.ts';
import { addSeatKey, ownerEmailOf } from './users.ts';

const add = defineStatement({ id: accounts.id, name: accounts.name, now: accounts.createdAt }, ({ id, name, now }) =>
  builder.insert(accounts).values({ id, name, createdAt: now }),
);

export async function insertAccount(
  query: Query,
  account: { readonly id: string; readonly name: string; readonly now: Date },
): Promise<void> {
  await add(query, account);
}

/** A member with an active seat. */
export type NewMember = Pick<typeof members.$inferInsert, 'accountId' | 'id' | 'email' | 'role'> & {
  readonly now: Date;
};

const addMember = defineStatement(
  { accountId: members.accountId, id: members.id, email: members.email, role: members.role, now: value<Date>() },
  ({ now, ...member }) => builder.insert(members).values({ ...member, status: sql`'active'`, joinedAt: now }),
);

export async function insertMember(query: Query, member: NewMember): Promise<void> {
  await addMember(query, member);
  const { accountId, id: memberId, email, now } = member;
  await addSeatKey(query, { accountId, memberId, email, now });
}

/** Locks an account's row until the end of the transaction. */
export const lockAccount = defineStatement({ id: accounts.id }, ({ id }) =>
  executing(sql`SELECT FROM accounts WHERE id = ${id} FOR NO KEY UPDATE`),
);

const readSome = defineStatement({ id: optional(accounts.id) }, ({ id: wanted }) => {
  const { id, name, plan, monthlyQuota, suspendedAt, createdAt } = accounts;
  const owner = sql<string | null>`${ownerEmailOf(accounts.id)}`;
  return builder
    .select(named({ id, name, plan, monthlyQuota, suspendedAt, createdAt, ownerEmail: owner }))
    .from(accounts)
    .where(wanted === undefined ? ne(accounts.id, POSTMASTER_ACCOUNT_ID) : eq(accounts.id, wanted))
    .orderBy(accounts.id);
});

export type AccountRow = RowOf<typeof readSome>;

/** Returns all accounts except the installation's own, oldest first; a non-null `id` returns only that account. */
export async function readAccounts(query: Query, id: string | null): Promise<readonly AccountRow[]> {
  return await readSome(query, { id });
}

const suspend = defineStatement({ id: accounts.id, at: value<Date>() }, ({ id, at }) =>
  builder
    .update(accounts)
    .set({ suspendedAt: at })
    .where(eq(accounts.id, id))
    .returning(named({ id: accounts.id })),
);

/** Suspends an account; returns false if it does not exist. */
export async function suspendAccount(query: Query, id: string, at: Date): Promise<boolean> {
  return (await suspend(query, { id, at })).length > 0;
}

const resume = defineStatement({ id: accounts.id, now: value<Date>() }, ({ id, now }) => {
  const { suspendedAt, erasingAt, reputationFrom, reputationLevel } = accounts;
  const isSuspended = eq(reputationLevel, sql`'suspended'`);
  return builder
    .update(accounts)
    .set({
      suspendedAt: sql`CASE WHEN ${erasingAt} IS NULL THEN NULL ELSE ${suspendedAt} END`,
      reputationFrom: sql`CASE WHEN ${isSuspended} THEN (${now}::timestamptz AT TIME ZONE 'UTC')::date + 1 ELSE ${reputationFrom} END`,
      reputationLevel: sql`CASE WHEN ${isSuspended} THEN 'good' ELSE ${reputationLevel} END`,
    })
    .where(eq(accounts.id, id))
    .returning(named({ id: accounts.id }));
});

/**
 * Lets an account send again; returns false if it does not exist. If its reputation caused the suspension, the days up to and including
 * that of `now` no longer count against it; otherwise it would be suspended again within the hour. An account that is being erased stays
 * unchanged.
 */
export async function resumeAccount(query: Query, id: string, now: Date): Promise<boolean> {
  return (await resume(query, { id, now })).length > 0;
}

const setHours = defineStatement({ id: accounts.id, hours: accounts.approvalHours }, ({ id, hours }) =>
  builder
    .update(accounts)
    .set({ approvalHours: hours })
    .where(eq(accounts.id, id))
    .returning(named({ id: accounts.id })),
);

/** Sets after how many hours new undecided holds of the account expire; returns false if the account does not exist. */
export async function setHoldHours(query: Query, id: string, hours: number): Promise<boolean> {
  return (await setHours(query, { id, hours })).length > 0;
}

const READ_USED = { accountId: accounts.id, month: value<string>(), monthlyQuota: value<number>() };

const readUsed = defineStatement(READ_USED, ({ accountId, month, monthlyQuota }) => {
  const ofMonth = and(eq(quotaUsage.accountId, accounts.id), eq(quotaUsage.month, sql`${month}::date`));
  return builder
    .select(
      named({
        quota: sql<number>`quota_of(${accounts.monthlyQuota}, ${monthlyQuota})`,
        used: sql<typeof quotaUsage.$inferSelect.used>`coalesce(${quotaUsage.used}, 0)`,
      }),
    )
    .from(accounts)
    .leftJoin(quotaUsage, ofMonth)
    .where(eq(accounts.id, accountId));
});

export type UsageRow = RowOf<typeof readUsed>;

/** @param monthlyQuota the quota of accounts without their own */
export async function readUsage(
  query: Query,
  accountId: string,
  month: string,
  monthlyQuota: number,
): Promise<UsageRow> {
  const [row] = await readUsed(query, { accountId, month, monthlyQuota });
  return row ?? { quota: 0, used: 0 };
}

const readFact = defineStatement({ name: installation.name }, ({ name }) =>
  builder
    .select(named({ value: installation.value }))
    .from(installation)
    .where(eq(installation.name, name)),
);

/** Reads a fact about the whole installation, such as which account the first start created. */
export async function readInstallationFact(query: Query, name: string): Promise<string | null> {
  const [row] = await readFact(query, { name });
  return row?.value ?? null;
}

const insertFact = defineStatement({ name: installation.name, value: installation.value }, ({ name, value: fact }) =>
  builder.insert(installation).values({ name, value: fact }).onConflictDoNothing({ target: installation.name }),
);

/** Stores a fact once: the first writer wins, and every caller gets the stored value. */
export async function writeInstallationFact(query: Query, name: string, fact: string): Promise<string> {
  await insertFact(query, { name, value: fact });
  return (await readInstallationFact(query, name)) ?? fact;
}
