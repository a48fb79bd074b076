import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, ne, sql } from '../drizzle.ts';
import { accounts, quotaUsage } from '../schema/accounts.ts';
import { sendingDomains } from '../schema/domains.ts';
import { members } from '../schema/users.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const count = sql<number>`count(*)::int`;

const READ_RECORD = { id: accounts.id, month: value<string>(), monthlyQuota: value<number>() };

const readRecord = defineStatement(READ_RECORD, ({ id, month, monthlyQuota }) => {
  const used = builder
    .select({ used: quotaUsage.used })
    .from(quotaUsage)
    .where(and(eq(quotaUsage.accountId, accounts.id), eq(quotaUsage.month, sql`${month}::date`)));
  const domains = builder
    .select({ count })
    .from(sendingDomains)
    .where(and(eq(sendingDomains.accountId, accounts.id), ne(sendingDomains.status, sql`'removed'`)));
  const seats = builder.select({ count }).from(members).where(eq(members.accountId, accounts.id));
  const fields = named({
    id: accounts.id,
    name: accounts.name,
    plan: accounts.plan,
    monthlyQuota: sql<number>`quota_of(${accounts.monthlyQuota}, ${monthlyQuota})`,
    monthlyUsed: sql<typeof quotaUsage.$inferSelect.used>`coalesce(${used}, 0)`,
    domains: sql<number>`${domains}`,
    seats: sql<number>`${seats}`,
    trackOpens: accounts.trackOpens,
    trackClicks: accounts.trackClicks,
    approvalsNeedPasskey: accounts.approvalsNeedPasskey,
    approvalsNeeded: accounts.approvalsNeeded,
    reputationLevel: accounts.reputationLevel,
    pausedAt: accounts.pausedAt,
    deletionScheduledAt: accounts.deletionScheduledAt,
  });
  return builder.select(fields).from(accounts).where(eq(accounts.id, id));
});

/** An account with its usage. */
export type AccountRecordRow = RowOf<typeof readRecord>;

/**
 * Returns null if the account does not exist.
 * @param month the quota month, `YYYY-MM-01`
 * @param monthlyQuota the quota of accounts without their own
 */
export async function readAccountRecord(
  query: Query,
  id: string,
  month: string,
  monthlyQuota: number,
): Promise<AccountRecordRow | null> {
  const [row] = await readRecord(query, { id, month, monthlyQuota });
  return row ?? null;
}

/** Null leaves a column unchanged. */
export interface AccountChanges {
  readonly name: string | null;
  readonly trackOpens: boolean | null;
  readonly trackClicks: boolean | null;
  readonly approvalsNeedPasskey: boolean | null;
  readonly approvalsNeeded: number | null;
}

const change = defineStatement(
  {
    ...{ id: accounts.id, name: value<string | null>(), opens: value<boolean | null>() },
    ...{ clicks: value<boolean | null>(), passkey: value<boolean | null>(), needed: value<number | null>() },
  },
  ({ id, name, opens, clicks, passkey, needed }) =>
    builder
      .update(accounts)
      .set({
        name: sql`coalesce(${name}::text, ${accounts.name})`,
        trackOpens: sql`coalesce(${opens}::boolean, ${accounts.trackOpens})`,
        trackClicks: sql`coalesce(${clicks}::boolean, ${accounts.trackClicks})`,
        approvalsNeedPasskey: sql`coalesce(${passkey}::boolean, ${accounts.approvalsNeedPasskey})`,
        approvalsNeeded: sql`coalesce(${needed}::integer, ${accounts.approvalsNeeded})`,
      })
      .where(
        and(
          eq(accounts.id, id),
          sql`(${name}::text <> ${accounts.name} OR ${opens}::boolean <> ${accounts.trackOpens} OR ${clicks}::boolean <> ${accounts.trackClicks}
            OR ${passkey}::boolean <> ${accounts.approvalsNeedPasskey} OR ${needed}::integer <> ${accounts.approvalsNeeded})`,
        ),
      )
      .returning(named({ id: accounts.id })),
);

/** False if the account has all of these values already. */
export async function changeAccount(
  query: Query,
  id: string,
  { name, trackOpens: opens, trackClicks: clicks, ...approvers }: AccountChanges,
): Promise<boolean> {
  const { approvalsNeedPasskey: passkey, approvalsNeeded: needed } = approvers;
  return (await change(query, { id, name, opens, clicks, passkey, needed })).length > 0;
}
