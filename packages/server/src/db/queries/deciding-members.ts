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
const APPROVER_IDS = sql`CASE WHEN k.approver_ids IS NULL THEN i.approver_ids WHEN i.approver_ids IS NULL THEN k.approver_ids
  ELSE ARRAY(SELECT unnest(k.approver_ids) INTERSECT SELECT unnest(i.approver_ids) ORDER BY 1) END`;

/** The rules of a hold as SQL, by its account `account` and its keys `k` and `i`: those that `readApproverRules` reads. */
export function rulesOf(account: SQL) {
  return {
    needsPasskey: sql`(${account}.approvals_need_passkey OR coalesce(k.approvals_need_passkey, false) OR coalesce(i.approvals_need_passkey, false))`,
    count: sql`greatest(${account}.approvals_needed, k.approvals_needed, i.approvals_needed)`,
    memberIds: APPROVER_IDS,
  };
}

/** The same for what one key `k` wrote, such as the draft of a template. */
export function rulesOfAuthor(account: SQL) {
  return {
    needsPasskey: sql`(${account}.approvals_need_passkey OR coalesce(k.approvals_need_passkey, false))`,
    count: sql`greatest(${account}.approvals_needed, k.approvals_needed)`,
    memberIds: sql`k.approver_ids`,
  };
}

/** Whether the approval `v` has what the rules ask for. It counts if its member may decide, too. */
export function meetsRules({ needsPasskey, memberIds }: { readonly needsPasskey: SQL; readonly memberIds: SQL }): SQL {
  return sql`(NOT ${needsPasskey} OR v.decider ? 'assertion') AND (${memberIds} IS NULL OR v.member_id = ANY (${memberIds}))`;
}

/**
 * The approvals that count of the current revision of a hold. A decided hold keeps those that decided it, whatever becomes of their members
 * and of the rules.
 */
export function votesOf(h: SQL, account: SQL, selected: SQL): SQL {
  return sql`(SELECT ${selected} FROM approval_votes v
      WHERE v.account_id = ${h}.account_id AND v.approval_id = ${h}.id AND v.revision = ${h}.revision AND (${h}.status <> 'pending' OR (
        EXISTS (SELECT FROM members WHERE members.account_id = v.account_id AND members.id = v.member_id AND ${DECIDES})
        AND ${meetsRules(rulesOf(account))})))`;
}
