import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, ne, sql } from '../drizzle.ts';
import { executing, pg, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { inboundReports } from '../schema/deliveries.ts';
import { sendingDomains } from '../schema/domains.ts';
import { messageRecipients, messages } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { INSTALLATION_ACCOUNT_ID } from './sending-domains.ts';

const MESSAGE = { accountId: messages.accountId, messageId: messages.id };

const lock = defineStatement(MESSAGE, ({ accountId, messageId }) =>
  executing(sql`SELECT FROM messages WHERE account_id = ${accountId} AND id = ${messageId} FOR UPDATE`),
);

/** Short attempts are not shown as `sending`. Deliveries have no index on their message, so only open recipients are checked. */
const IS_UNDER_WAY = sql`(r.status IN ('queued', 'deferred') AND EXISTS (
        SELECT FROM deliveries d WHERE d.account_id = r.account_id AND d.id > r.message_id AND d.message_id = r.message_id
          AND d.lease_id IS NOT NULL AND r.ordinal = ANY (d.ordinals)))`;

const readRecipients = defineStatement(MESSAGE, ({ accountId, messageId }) =>
  returning(
    {
      ordinal: messageRecipients.ordinal,
      email: messageRecipients.email,
      status: messageRecipients.status,
      /** Whether a report has announced a delay since the last send. */
      isDelayed: pg.bool,
    },
    sql`
      SELECT r.ordinal, r.email, CASE WHEN ${IS_UNDER_WAY} THEN 'sending' ELSE r.status END AS status, EXISTS (
        SELECT FROM message_events e WHERE e.account_id = r.account_id AND e.message_id = r.message_id AND e.recipient = r.email
          AND e.type = 'deferred' AND e.seq > (SELECT coalesce(max(s.seq), 0) FROM message_events s
            WHERE s.account_id = r.account_id AND s.message_id = r.message_id AND s.recipient = r.email AND s.type = 'sent')) AS "isDelayed"
      FROM messages m JOIN message_recipients r ON r.account_id = m.account_id AND r.message_id = m.id
      WHERE m.account_id = ${accountId} AND m.id = ${messageId} ORDER BY r.ordinal`,
  ),
);

/** A recipient that a report may be about, as the log has it. */
export type ReportedRecipientRow = RowOf<typeof readRecipients>;

/**
 * Locks a message until the end of the transaction and reads its recipients, so that two reports about it are processed one after the
 * other. Returns an empty list if the message is gone from the log.
 */
export async function lockReportedMessage(
  query: Query,
  { accountId, messageId }: { readonly accountId: string; readonly messageId: string },
): Promise<readonly ReportedRecipientRow[]> {
  await lock(query, { accountId, messageId });
  // A separate statement, so that it sees what the previous lock holder committed.
  return await readRecipients(query, { accountId, messageId });
}

const findAccount = defineStatement(
  { least: accounts.id, greatest: accounts.id, messageId: messages.id },
  ({ least, greatest, messageId }) =>
    returning(
      { id: accounts.id },
      sql`
        SELECT a.id FROM accounts a WHERE a.id BETWEEN ${least} AND ${greatest}
        ORDER BY EXISTS (SELECT FROM messages m WHERE m.account_id = a.id AND m.id = ${messageId}) DESC LIMIT 1`,
    ),
);

/**
 * Finds the account that a message belongs to, between two ids, inclusive. If none of them has the message, it is gone from the log and any
 * of them is returned; null if there is no account in the range.
 */
export async function findReportedAccount(
  query: Query,
  between: { readonly least: string; readonly greatest: string; readonly messageId: string },
): Promise<string | null> {
  const [row] = await findAccount(query, between);
  return row?.id ?? null;
}

const count = defineStatement(
  {
    accountId: inboundReports.accountId,
    id: inboundReports.id,
    messageId: inboundReports.messageId,
    kind: inboundReports.kind,
    outcome: inboundReports.outcome,
    count: inboundReports.count,
    now: inboundReports.createdAt,
  },
  (report) =>
    executing(sql`
      INSERT INTO inbound_reports AS known (account_id, id, message_id, kind, outcome, day, count, created_at)
      VALUES (${report.accountId}, ${report.id}, ${report.messageId}, ${report.kind}, ${report.outcome},
        (${report.now}::timestamptz AT TIME ZONE 'UTC')::date, ${report.count}, ${report.now})
      ON CONFLICT (account_id, day, message_id, kind, outcome)
        DO UPDATE SET count = least(known.count::bigint + excluded.count, 2147483647)::int`),
);

export type ReportCount = Omit<Parameters<typeof count>[1], 'accountId'> & {
  /** Null if the mail belongs to no account. */
  readonly accountId: string | null;
};

/** Counts received mail by day, message, kind and outcome. */
export async function countReports(query: Query, report: ReportCount): Promise<void> {
  await count(query, { ...report, accountId: report.accountId ?? INSTALLATION_ACCOUNT_ID });
}

const findHost = defineStatement({ host: sendingDomains.returnPathHost }, ({ host }) =>
  builder
    .select(named({ id: sendingDomains.id }))
    .from(sendingDomains)
    .where(and(eq(sendingDomains.returnPathHost, host), ne(sendingDomains.status, sql`'removed'`)))
    .limit(1),
);

/** Whether reports may be addressed to this host: it is the return-path host of a domain of any account. */
export async function isReturnPathHost(query: Query, host: string): Promise<boolean> {
  const rows = await findHost(query, { host });
  return rows.length > 0;
}

const removeCounts = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`DELETE FROM inbound_reports WHERE day < (${before}::timestamptz AT TIME ZONE 'UTC')::date`),
);

/** Deletes the counts of days before the day of `before`. */
export async function removeReportCounts(query: Query, before: Date): Promise<void> {
  await removeCounts(query, { before });
}
