import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { pg, present, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { webhookEndpoints } from '../schema/webhooks.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const read = defineStatement({ ids: value<readonly string[]>() }, ({ ids }) =>
  builder
    .select(
      named({
        accountId: webhookEndpoints.accountId,
        id: webhookEndpoints.id,
        url: webhookEndpoints.url,
        enabled: sql<boolean>`${webhookEndpoints.status} = 'enabled'`,
        revision: webhookEndpoints.revision,
        secret: webhookEndpoints.secret,
        previousSecret: webhookEndpoints.previousSecret,
        previousSecretEndsAt: webhookEndpoints.previousSecretEndsAt,
        /** The key that chose the URL; null: it receives every event unredacted. */
        chosenBy: webhookEndpoints.chosenBy,
      }),
    )
    .from(webhookEndpoints)
    .where(sql`${webhookEndpoints.id} = ANY (${ids}::uuid[])`),
);

/** An endpoint as deliveries need it. */
export type ReceiverRow = RowOf<typeof read>;

/** The endpoints with these ids that exist, of any account. */
export async function readReceivers(query: Query, ids: readonly string[]): Promise<readonly ReceiverRow[]> {
  return await read(query, { ids });
}

const takeNotices = defineStatement({ now: value<Date>(), leaseUntil: value<Date>() }, ({ now, leaseUntil }) =>
  returning(
    {
      accountId: webhookEndpoints.accountId,
      accountName: accounts.name,
      id: webhookEndpoints.id,
      url: webhookEndpoints.url,
      reason: present(webhookEndpoints.disabledReason),
      failingSince: webhookEndpoints.failingSince,
      /** The addresses of the account's members. */
      members: pg.textArray,
    },
    sql`
      UPDATE webhook_endpoints w SET notice_due_at = ${leaseUntil} FROM accounts a
      WHERE w.notice_due_at <= ${now} AND a.id = w.account_id
      RETURNING w.account_id AS "accountId", a.name AS "accountName", w.id, w.url, w.disabled_reason AS reason,
        w.failing_since AS "failingSince",
        ARRAY(SELECT m.email FROM members m WHERE m.account_id = w.account_id AND m.status = 'active' ORDER BY m.id) AS members`,
  ),
);

/** An endpoint whose team must be notified that it was disabled. */
export interface DueNotice extends RowOf<typeof takeNotices> {
  /** If this process has not settled the notice by then, another one takes it. */
  readonly leaseUntil: Date;
}

/** Leases due notices until a given time. */
export async function takeDueNotices(query: Query, now: Date, leaseUntil: Date): Promise<readonly DueNotice[]> {
  const rows = await takeNotices(query, { now, leaseUntil });
  return rows.map((row) => ({ ...row, leaseUntil }));
}

const settle = defineStatement(
  { accountId: webhookEndpoints.accountId, id: webhookEndpoints.id, leaseUntil: value<Date>() },
  ({ accountId, id, leaseUntil }) =>
    builder
      .update(webhookEndpoints)
      .set({ noticeDueAt: null })
      .where(
        and(
          eq(webhookEndpoints.accountId, accountId),
          eq(webhookEndpoints.id, id),
          eq(webhookEndpoints.noticeDueAt, leaseUntil),
        ),
      ),
);

export async function settleNotice(query: Query, { accountId, id, leaseUntil }: DueNotice): Promise<void> {
  await settle(query, { accountId, id, leaseUntil });
}
