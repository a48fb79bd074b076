import { LIMITS } from '@postrider/core';
import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { executing, pg } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { approvalEvents, approvals } from '../schema/approvals.ts';
import { apiKeys } from '../schema/keys.ts';
import { defineStatement, value } from '../statement.ts';

const HOLD = {
  account_id: approvals.accountId,
  id: approvals.id,
  message_id: approvals.messageId,
  key_id: approvals.keyId,
  event_id: approvalEvents.id,
  /** The quota units that the message was charged, reserved until an approver decides. */
  charged: approvals.charged,
  reasons: approvals.reasons,
  content_hash: approvals.contentHash,
  expires_at: approvals.expiresAt,
  remind_at: approvals.remindAt,
  /** The way it was sent. */
  way: approvalEvents.way,
};

/** A hold with what it shares with its message. Names are the columns'. */
export type HoldRow = RecordOf<typeof HOLD>;

/** A hold as it is written beside its message. */
export type NewHold = Omit<HoldRow, 'account_id' | 'message_id' | 'key_id' | 'charged'>;

const ACCOUNT_UNITS = { a: accounts.id, n: approvals.charged };

const lockAccounts = defineStatement({ asked: value<string>() }, ({ asked }) =>
  executing(sql`
    SELECT FROM accounts c JOIN json_to_recordset(${asked}::text::json) AS q (${sql.raw(recordColumns(ACCOUNT_UNITS))}) ON c.id = q.a
    ORDER BY c.id FOR NO KEY UPDATE OF c`),
);

const refuseReserved = defineStatement(
  { asked: value<string>(), monthlyQuota: value<number>() },
  ({ asked, monthlyQuota }) =>
    executing(sql`
    SELECT FROM refuse_stale_acceptance(EXISTS (
      SELECT FROM json_to_recordset(${asked}::text::json) AS q (${sql.raw(recordColumns(ACCOUNT_UNITS))}) JOIN accounts c ON c.id = q.a
      WHERE q.n + (SELECT coalesce(sum(h.charged), 0) FROM approvals h WHERE h.account_id = q.a AND h.status = 'pending')
        > quota_of(c.monthly_quota, ${monthlyQuota})::bigint * ${LIMITS.heldQuotaPercent}::int / 100))`),
);

const KEY_HOLDS = { a: apiKeys.accountId, k: apiKeys.id, n: pg.int4 };

const lockKeys = defineStatement({ asked: value<string>() }, ({ asked }) =>
  executing(sql`
    SELECT FROM api_keys k JOIN json_to_recordset(${asked}::text::json) AS q (${sql.raw(recordColumns(KEY_HOLDS))})
      ON k.account_id = q.a AND k.id = q.k
    ORDER BY k.account_id, k.id FOR UPDATE OF k`),
);

const refuseHolding = defineStatement({ asked: value<string>() }, ({ asked }) =>
  executing(sql`
    SELECT FROM refuse_stale_acceptance(EXISTS (
      SELECT FROM json_to_recordset(${asked}::text::json) AS q (${sql.raw(recordColumns(KEY_HOLDS))})
      WHERE NOT EXISTS (SELECT FROM api_keys k WHERE k.account_id = q.a AND k.id = q.k AND k.revoked_at IS NULL)
        OR q.n + (SELECT count(*) FROM (SELECT FROM approvals h WHERE h.account_id = q.a AND h.key_id = q.k AND h.status = 'pending'
          LIMIT ${LIMITS.heldPerKey + 1}) AS undecided) > ${LIMITS.heldPerKey}))`),
);

/**
 * Locks the accounts and the keys that the holds belong to, so that no one revokes a key meanwhile and neither reserves more than it may. Where a
 * key was revoked or has too many holds, or the holds of an account would reserve too much of its quota, it fails with SQLSTATE PR001, having
 * written nothing.
 * @param monthlyQuota of accounts that have none of their own
 */
export async function lockHoldingKeys(query: Query, holds: readonly HoldRow[], monthlyQuota: number): Promise<void> {
  await lockReservedQuota(query, holds, monthlyQuota);
  const counts = new Map<string, { a: string; k: string; n: number }>();
  for (const { account_id: a, key_id: k } of holds) counts.set(k, { a, k, n: (counts.get(k)?.n ?? 0) + 1 });
  const asked = JSON.stringify([...counts.values()]);
  await lockKeys(query, { asked });
  // A statement of its own: it has to see what those have committed who held the lock before.
  await refuseHolding(query, { asked });
}

/** Accounts come before keys, each in order. What costs nothing needs no room in the quota, so its account is not locked. */
async function lockReservedQuota(query: Query, holds: readonly HoldRow[], monthlyQuota: number): Promise<void> {
  const units = new Map<string, number>();
  for (const { account_id: a, charged } of holds) if (charged > 0) units.set(a, (units.get(a) ?? 0) + charged);
  if (units.size === 0) return;
  const asked = JSON.stringify([...units].map(([a, n]) => ({ a, n })));
  await lockAccounts(query, { asked });
  // A statement of its own, like the one on keys above.
  await refuseReserved(query, { asked, monthlyQuota });
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

/** Asks some worker of the fleet to tell the approvers of holds; many wishes close together become one job. */
const addTellJob = defineStatement({ runAt: value<Date>() }, ({ runAt }) =>
  executing(sql`
    SELECT FROM graphile_worker.add_job('approvals:tell', '{}'::json, job_key => 'approvals:tell', job_key_mode => 'preserve_run_at',
      run_at => ${runAt}, max_attempts => 1)`),
);

/** Writes the holds of messages that this transaction has written, with their first events, and asks for the approvers to be told. */
export async function insertHolds(query: Query, holds: readonly HoldRow[], now: Date): Promise<void> {
  await insertRows(query, { holds: JSON.stringify(holds), now });
  await addTellJob(query, { runAt: now });
}
