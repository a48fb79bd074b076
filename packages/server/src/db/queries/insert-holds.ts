import { LIMITS } from '@postrider/core';
import { rowsUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { executing, pg } from '../result.ts';
import { approvalEvents, approvals } from '../schema/approvals.ts';
import { defineStatement, value } from '../statement.ts';
import { refuseItems } from './failed-items.ts';

const HOLD = {
  /** The message's position in the batch. */
  o: pg.int4,
  account_id: approvals.accountId,
  id: approvals.id,
  message_id: approvals.messageId,
  key_id: approvals.keyId,
  event_id: approvalEvents.id,
  /** The quota units charged for the message, reserved until an approver decides. */
  charged: approvals.charged,
  reasons: approvals.reasons,
  content_hash: approvals.contentHash,
  expires_at: approvals.expiresAt,
  remind_at: approvals.remindAt,
  /** How it was submitted. */
  way: approvalEvents.way,
};

/** A hold with the columns it shares with its message. The names are those of the columns. */
export type HoldRow = RecordOf<typeof HOLD>;

/** A hold as the caller passes it with its message. */
export type NewHold = Omit<HoldRow, 'o' | 'account_id' | 'message_id' | 'key_id' | 'charged'>;

/** What a hold counts against limits: its position, account and key, and the quota it reserves. */
const COUNTED = { o: HOLD.o, a: HOLD.account_id, k: HOLD.key_id, n: HOLD.charged };

const ASKED = { asked: value<string>() };

function counted(asked: SQL): SQL {
  return sql`counted AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${asked}::text::json) AS q (${sql.raw(recordColumns(COUNTED))})
    )`;
}

const lockAccounts = defineStatement(ASKED, ({ asked }) =>
  executing(sql`
    WITH ${counted(asked)}
    SELECT FROM accounts WHERE id IN (SELECT a FROM counted WHERE n > 0) ORDER BY id FOR NO KEY UPDATE`),
);

const refuseReserved = defineStatement({ ...ASKED, monthlyQuota: value<number>() }, ({ asked, monthlyQuota }) =>
  executing(sql`
    WITH ${counted(asked)},
    beyond AS (
      SELECT q.a FROM counted q JOIN accounts c ON c.id = q.a WHERE q.n > 0 GROUP BY q.a, c.monthly_quota
      HAVING sum(q.n) + (SELECT coalesce(sum(h.charged), 0) FROM approvals h WHERE h.account_id = q.a AND h.status = 'pending')
        > quota_of(c.monthly_quota, ${monthlyQuota})::bigint * ${LIMITS.heldQuotaPercent}::int / 100
    ),
    failed AS (SELECT q.o, 'heldQuota'::text AS rule FROM counted q JOIN beyond b ON b.a = q.a WHERE q.n > 0)
    SELECT FROM ${refuseItems(sql`failed`)}`),
);

const lockKeys = defineStatement(ASKED, ({ asked }) =>
  executing(sql`
    WITH ${counted(asked)}
    SELECT FROM api_keys WHERE (account_id, id) IN (SELECT a, k FROM counted) ORDER BY account_id, id FOR UPDATE`),
);

/** Counts the undecided holds of key `q.k` in account `q.a`; stops once the limit is exceeded. */
export const UNDECIDED = sql`(SELECT count(*) FROM ${rowsUpTo(
  sql.raw(String(LIMITS.heldPerKey + 1)),
  sql`SELECT FROM approvals h WHERE h.account_id = q.a AND h.key_id = q.k AND h.status = 'pending'`,
)})`;

const refuseHolding = defineStatement(ASKED, ({ asked }) =>
  executing(sql`
    WITH ${counted(asked)},
    beyond AS (
      SELECT q.a, q.k FROM counted q GROUP BY q.a, q.k
      HAVING count(*) + ${UNDECIDED} > ${LIMITS.heldPerKey}
    ),
    failed AS (
      SELECT q.o, 'key'::text AS rule FROM counted q
        WHERE NOT EXISTS (SELECT FROM api_keys k WHERE k.account_id = q.a AND k.id = q.k AND k.revoked_at IS NULL)
      UNION ALL SELECT q.o, 'heldPerKey'::text FROM counted q JOIN beyond b ON b.a = q.a AND b.k = q.k
    )
    SELECT FROM ${refuseItems(sql`failed`)}`),
);

/**
 * Locks the accounts and keys that the holds belong to, so that no concurrent transaction revokes a key or reserves more than allowed.
 * Fails with SQLSTATE PR001 and names the items, like the accepting statement, if a key was revoked or has too many holds, or if an
 * account's holds would reserve too much of its quota.
 * @param monthlyQuota the quota of accounts without their own
 */
export async function lockHoldingKeys(query: Query, holds: readonly HoldRow[], monthlyQuota: number): Promise<void> {
  const asked = JSON.stringify(
    holds.map(({ o, account_id: a, key_id: k, charged: n }): RecordOf<typeof COUNTED> => ({ o, a, k, n })),
  );
  // Locks accounts before keys, each in order, to prevent deadlocks. A hold without a charge reserves no quota, so its account is not
  // locked.
  if (holds.some(({ charged }) => charged > 0)) {
    await lockAccounts(query, { asked });
    // A separate statement, so that it sees what the previous lock holders committed.
    await refuseReserved(query, { asked, monthlyQuota });
  }
  await lockKeys(query, { asked });
  // A separate statement for the same reason.
  await refuseHolding(query, { asked });
}

const insertRows = defineStatement({ holds: value<string>(), now: approvals.createdAt }, ({ holds, now }) =>
  executing(sql`
    WITH input AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${holds}::text::json) AS r (${sql.raw(recordColumns(HOLD))})
    ),
    held AS (
      INSERT INTO approvals (account_id, id, message_id, key_id, charged, status, reasons, content_hash, created_at, expires_at, remind_at)
      SELECT account_id, id, message_id, key_id, charged, 'pending', reasons, content_hash, ${now}, expires_at, remind_at FROM input
      RETURNING 1
    )
    INSERT INTO approval_events (account_id, approval_id, id, type, actor, way, hash_after, detail, created_at)
    SELECT account_id, id, event_id, 'requested', key_id, way, content_hash, array_to_string(reasons, ', '), ${now} FROM input`),
);

/** Adds a job that notifies the approvers of holds. Requests close together become one job. */
const addNotifyJob = defineStatement({ runAt: value<Date>() }, ({ runAt }) =>
  executing(sql`
    SELECT FROM graphile_worker.add_job('approvals:tell', '{}'::json, job_key => 'approvals:tell', job_key_mode => 'preserve_run_at',
      run_at => ${runAt}, max_attempts => 1)`),
);

/** Writes the holds of messages that this transaction wrote, with their first events, and requests that the approvers be notified. */
export async function insertHolds(query: Query, holds: readonly HoldRow[], now: Date): Promise<void> {
  await insertRows(query, { holds: JSON.stringify(holds), now });
  await addNotifyJob(query, { runAt: now });
}
