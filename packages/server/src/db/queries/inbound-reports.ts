import type { Query } from '../client.ts';
import { INSTALLATION_ACCOUNT_ID } from './sending-domains.ts';

/** A recipient that a report may be about, as the log has it. */
export interface ReportedRecipientRow {
  readonly ordinal: number;
  readonly email: string;
  readonly status: string;
  /** Whether a report has told of a delay since it was handed over. */
  readonly isDelayed: boolean;
}

/**
 * The recipients of a message, which stays locked to the end of the transaction, so that two reports about it are taken one after the other.
 * Empty where the message is gone from the log.
 */
export async function lockReportedMessage(
  query: Query,
  { accountId, messageId }: { readonly accountId: string; readonly messageId: string },
): Promise<readonly ReportedRecipientRow[]> {
  await query`SELECT FROM messages WHERE account_id = ${accountId} AND id = ${messageId} FOR UPDATE`;
  // A statement of its own: it has to see what the one that held the lock before has written.
  return await query<ReportedRecipientRow[]>`
    SELECT r.ordinal, r.email, r.status, EXISTS (
      SELECT FROM message_events e WHERE e.account_id = r.account_id AND e.message_id = r.message_id AND e.recipient = r.email
        AND e.type = 'deferred' AND e.seq > (SELECT coalesce(max(s.seq), 0) FROM message_events s
          WHERE s.account_id = r.account_id AND s.message_id = r.message_id AND s.recipient = r.email AND s.type = 'sent')) AS "isDelayed"
    FROM messages m JOIN message_recipients r ON r.account_id = m.account_id AND r.message_id = m.id
    WHERE m.account_id = ${accountId} AND m.id = ${messageId} ORDER BY r.ordinal`;
}

/**
 * The account between two ids, both included, that a message belongs to. Where nobody there has the message, it is gone from the log, and
 * any of them is the one. Null where there is none.
 */
export async function findReportedAccount(
  query: Query,
  between: { readonly least: string; readonly greatest: string; readonly messageId: string },
): Promise<string | null> {
  const [row] = await query<{ id: string }[]>`
    SELECT a.id FROM accounts a WHERE a.id BETWEEN ${between.least} AND ${between.greatest}
    ORDER BY EXISTS (SELECT FROM messages m WHERE m.account_id = a.id AND m.id = ${between.messageId}) DESC LIMIT 1`;
  return row?.id ?? null;
}

export interface ReportCount {
  readonly id: string;
  /** Null where the mail belongs to nobody. */
  readonly accountId: string | null;
  readonly messageId: string | null;
  readonly kind: string;
  readonly outcome: string;
  readonly count: number;
  readonly now: Date;
}

/** Counts mail that came in, under its day, message, kind and outcome. */
export async function countReports(query: Query, report: ReportCount): Promise<void> {
  const { id, messageId, kind, outcome, count, now } = report;
  await query`
    INSERT INTO inbound_reports AS known (account_id, id, message_id, kind, outcome, day, count, created_at)
    VALUES (${report.accountId ?? INSTALLATION_ACCOUNT_ID}, ${id}, ${messageId}, ${kind}, ${outcome},
      (${now}::timestamptz AT TIME ZONE 'UTC')::date, ${count}, ${now})
    ON CONFLICT (account_id, day, message_id, kind, outcome)
      DO UPDATE SET count = least(known.count::bigint + excluded.count, 2147483647)::int`;
}

/** Whether reports may come to this host: it is the return-path host of a domain of some account. */
export async function isReturnPathHost(query: Query, host: string): Promise<boolean> {
  const rows = await query`
    SELECT FROM sending_domains WHERE return_path_host = ${host} AND status <> 'removed' LIMIT 1`;
  return rows.length > 0;
}

/** Removes the counts of days before that of `before`. */
export async function removeReportCounts(query: Query, before: Date): Promise<void> {
  await query`DELETE FROM inbound_reports WHERE day < (${before}::timestamptz AT TIME ZONE 'UTC')::date`;
}
