import { LIMITS } from '@postrider/core';
import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { executing, present, returning } from '../result.ts';
import { notices } from '../schema/notices.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

export type { NoticeKind, QuotaFacts } from '../schema/notices.ts';

const HOUR_MS = 3_600_000;

/** Maximum number of notices that one statement takes. */
const NOTICES_AT_ONCE = 500;

const NEW = {
  accountId: notices.accountId,
  id: notices.id,
  kind: notices.kind,
  targetId: notices.targetId,
  facts: notices.facts,
};

/** A notice; its id is that of the event. */
export type NewNotice = RecordOf<typeof NEW>;

const add = defineStatement(
  { given: value<string>(), since: value<Date>(), now: notices.dueAt },
  ({ given, since, now }) =>
    executing(sql`
      INSERT INTO notices (account_id, id, kind, target_id, facts, due_at)
      SELECT g."accountId", g.id, g.kind, g."targetId", g.facts, ${now}
      FROM json_to_recordset(${given}::text::json) AS g (${sql.raw(recordColumns(NEW))})
      WHERE NOT EXISTS (
        SELECT FROM notices p WHERE p.account_id = g."accountId" AND p.id >= uuid_v7_lower_bound(${since}::timestamptz)
          AND p.kind = g.kind AND p.target_id = g."targetId")`),
);

/**
 * Adds notices, due at once. Leaves out those of the same kind about the same thing within a day. Call it in the transaction that stores the
 * events, with the thing's row locked, so that two transactions cannot add the same notice.
 */
export async function addNotices(transaction: Query, given: readonly NewNotice[], now: Date): Promise<void> {
  if (given.length === 0) return;
  const since = new Date(now.getTime() - LIMITS.noticeRepeatHours * HOUR_MS);
  await add(transaction, { given: JSON.stringify(given), since, now });
}

const take = defineStatement(
  { now: value<Date>(), leaseUntil: value<Date>(), spacedFrom: value<Date>() },
  ({ now, leaseUntil, spacedFrom }) =>
    returning(
      {
        accountId: notices.accountId,
        id: notices.id,
        kind: notices.kind,
        targetId: notices.targetId,
        facts: notices.facts,
        mailId: present(notices.mailId),
        triedAt: present(notices.triedAt),
      },
      sql`
        WITH due AS MATERIALIZED (
          SELECT n.account_id, n.id, n.kind, n.mail_id FROM notices n
          WHERE n.mailed_at IS NULL AND n.due_at <= ${now}
            AND (n.mail_id IS NOT NULL OR n.kind = 'quota.threshold' OR NOT EXISTS (
              SELECT FROM notices p WHERE p.account_id = n.account_id AND p.kind = n.kind AND p.mailed_at > ${spacedFrom}))
          ORDER BY n.due_at, n.id LIMIT ${NOTICES_AT_ONCE} FOR UPDATE SKIP LOCKED
        ),
        mails AS (
          SELECT account_id, id,
            coalesce(mail_id, first_value(id) OVER (PARTITION BY account_id, kind, mail_id IS NULL ORDER BY id)) AS mail_id
          FROM due
        )
        UPDATE notices n SET due_at = ${leaseUntil}, mail_id = m.mail_id, tried_at = coalesce(n.tried_at, ${now})
        FROM mails m WHERE n.account_id = m.account_id AND n.id = m.id
        RETURNING n.account_id AS "accountId", n.id, n.kind, n.target_id AS "targetId", n.facts, n.mail_id AS "mailId",
          n.tried_at AS "triedAt"`,
    ),
);

/** A notice that this process mails. */
export type DueNotice = RowOf<typeof take>;

/**
 * Takes due notices until the end of a lease. Notices of one kind in one account form one mail, and stay in it if another process takes over.
 * After a mail, the account gets the next one of that kind when LIMITS.noticeMailMinutes have passed; a quota has only two thresholds.
 */
export async function takeDueNotices(query: Query, now: Date, leaseUntil: Date): Promise<readonly DueNotice[]> {
  const spacedFrom = new Date(now.getTime() - LIMITS.noticeMailMinutes * 60_000);
  return await take(query, { now, leaseUntil, spacedFrom });
}

const MAIL = { accountId: notices.accountId, ids: value<readonly string[]>() };

const settle = defineStatement({ ...MAIL, now: value<Date>() }, ({ accountId, ids, now }) =>
  executing(
    sql`UPDATE notices SET mailed_at = ${now} WHERE account_id = ${accountId} AND id = ANY (${ids}::uuid[]) AND mailed_at IS NULL`,
  ),
);

/** Marks notices of an account as mailed. */
export async function settleNotices(query: Query, accountId: string, ids: readonly string[], now: Date): Promise<void> {
  await settle(query, { accountId, ids, now });
}

const drop = defineStatement(MAIL, ({ accountId, ids }) =>
  executing(
    sql`DELETE FROM notices WHERE account_id = ${accountId} AND id = ANY (${ids}::uuid[]) AND mailed_at IS NULL`,
  ),
);

/** Removes notices that no one was mailed about, so that the same state can be notified of again. */
export async function dropNotices(query: Query, accountId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await drop(query, { accountId, ids });
}

const purge = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`DELETE FROM notices WHERE mailed_at < ${before}`),
);

/** Removes notices that were mailed so long ago that they prevent no repetition. */
export async function purgeNotices(query: Query, now: Date): Promise<void> {
  await purge(query, { before: new Date(now.getTime() - 2 * LIMITS.noticeRepeatHours * HOUR_MS) });
}
