import { LIMITS } from '@postrider/core';
import type { Query } from '../client.ts';

/** A hold as it is written beside its message. Names are the columns'. */
export interface NewHold {
  readonly id: string;
  readonly event_id: string;
  readonly reasons: readonly string[];
  readonly content_hash: string;
  readonly expires_at: string;
  readonly remind_at: string;
  /** The way it was sent. */
  readonly way: string;
}

/** What is otherwise in the statement that writes messages where some of the messages are held: those stand where nothing delivers them, and say why. */
export const HOLD_PARTS = [
  { place: '/* hold reasons */', part: ', hold_reasons', otherwise: '' },
  { place: '/* hold columns */', part: ', hold_reasons text', otherwise: '' },
  { place: '/* of a hold */', part: ', detail', otherwise: '' },
  {
    place: '/* first status */',
    part: "CASE WHEN hold_reasons IS NULL THEN 'queued' ELSE 'pending_approval' END",
    otherwise: "'queued'",
  },
];

/** A hold with what it shares with its message. */
export interface HoldRow extends NewHold {
  readonly account_id: string;
  readonly message_id: string;
  readonly key_id: string;
  /** The quota units that the message was charged, reserved until an approver decides. */
  readonly charged: number;
}

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
  await query`
    SELECT FROM api_keys k JOIN json_to_recordset(${asked}::text::json) AS q (a uuid, k uuid) ON k.account_id = q.a AND k.id = q.k
    ORDER BY k.account_id, k.id FOR UPDATE OF k`;
  // A statement of its own: it has to see what those have committed who held the lock before.
  await query`
    SELECT refuse_stale_acceptance(EXISTS (
      SELECT FROM json_to_recordset(${asked}::text::json) AS q (a uuid, k uuid, n integer)
      WHERE NOT EXISTS (SELECT FROM api_keys k WHERE k.account_id = q.a AND k.id = q.k AND k.revoked_at IS NULL)
        OR q.n + (SELECT count(*) FROM (SELECT FROM approvals h WHERE h.account_id = q.a AND h.key_id = q.k AND h.status = 'pending'
          LIMIT ${LIMITS.heldPerKey + 1}) AS undecided) > ${LIMITS.heldPerKey}))`;
}

/** Accounts come before keys, each in order. What costs nothing needs no room in the quota, so its account is not locked. */
async function lockReservedQuota(query: Query, holds: readonly HoldRow[], monthlyQuota: number): Promise<void> {
  const units = new Map<string, number>();
  for (const { account_id: a, charged } of holds) if (charged > 0) units.set(a, (units.get(a) ?? 0) + charged);
  if (units.size === 0) return;
  const asked = JSON.stringify([...units].map(([a, n]) => ({ a, n })));
  await query`
    SELECT FROM accounts c JOIN json_to_recordset(${asked}::text::json) AS q (a uuid) ON c.id = q.a ORDER BY c.id FOR NO KEY UPDATE OF c`;
  // A statement of its own, like the one on keys below.
  await query`
    SELECT refuse_stale_acceptance(EXISTS (
      SELECT FROM json_to_recordset(${asked}::text::json) AS q (a uuid, n integer) JOIN accounts c ON c.id = q.a
      WHERE q.n + (SELECT coalesce(sum(h.charged), 0) FROM approvals h WHERE h.account_id = q.a AND h.status = 'pending')
        > coalesce(c.monthly_quota, ${monthlyQuota}::int)::bigint * ${LIMITS.heldQuotaPercent}::int / 100))`;
}

/** Writes the holds of messages that this transaction has written, with their first events, and asks for the approvers to be told. */
export async function insertHolds(query: Query, holds: readonly HoldRow[], now: Date): Promise<void> {
  await query`
    WITH input AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(holds)}::text::json) AS r (account_id uuid, id uuid, message_id uuid, key_id uuid,
        event_id uuid, charged integer, reasons text[], content_hash text, expires_at timestamptz, remind_at timestamptz, way text)
    ),
    held AS (
      INSERT INTO approvals (account_id, id, message_id, key_id, charged, status, reasons, content_hash, created_at, expires_at, remind_at)
      SELECT account_id, id, message_id, key_id, charged, 'pending', reasons, content_hash, ${now}, expires_at, remind_at FROM input
      RETURNING 1
    )
    INSERT INTO approval_events (account_id, approval_id, id, type, actor, way, hash_after, detail, created_at)
    SELECT account_id, id, event_id, 'requested', key_id, way, content_hash, array_to_string(reasons, ', '), ${now} FROM input`;
  await addTellJob(query, now);
}

/** Asks some worker of the fleet to tell the approvers of holds; many wishes close together become one job. */
async function addTellJob(query: Query, runAt: Date): Promise<void> {
  await query`
    SELECT graphile_worker.add_job('approvals:tell', '{}'::json, job_key => 'approvals:tell', job_key_mode => 'preserve_run_at',
      run_at => ${runAt}, max_attempts => 1)`;
}
