import { type SQL, sql } from '../drizzle.ts';
import { members } from '../schema/users.ts';

/** Whether the role of a member decides holds. */
export const DECIDES = sql`${members.status} = 'active' AND ${members.role} IN ('owner', 'admin', 'approver')`;

/** Joins the two keys of a hold `h` with the message `m`: `k` asked for the send, and `i` issued it. */
export function joinKeys(h: SQL): SQL {
  return sql`
  LEFT JOIN api_keys k ON k.account_id = ${h}.account_id AND k.id = ${h}.key_id
  LEFT JOIN api_keys i ON i.account_id = ${h}.account_id AND i.id = m.key_id`;
}

/** The members who can approve by the rules of the keys `k` and `i`; null if neither key names any. */
export const APPROVER_IDS = sql`CASE WHEN k.approver_ids IS NULL THEN i.approver_ids WHEN i.approver_ids IS NULL THEN k.approver_ids
  ELSE ARRAY(SELECT unnest(k.approver_ids) INTERSECT SELECT unnest(i.approver_ids) ORDER BY 1) END`;

/** How many people must approve, by the rules of the account `account` and of the keys `k` and `i`. */
export function approvalsNeeded(account: SQL): SQL {
  return sql`greatest(${account}.approvals_needed, k.approvals_needed, i.approvals_needed)`;
}

/** The approvals of the current revision of a hold, where more than one is needed, oldest first. */
export function votesOf(h: SQL, selected: SQL): SQL {
  return sql`(SELECT ${selected} FROM approval_votes v
      WHERE v.account_id = ${h}.account_id AND v.approval_id = ${h}.id AND v.revision = ${h}.revision)`;
}
