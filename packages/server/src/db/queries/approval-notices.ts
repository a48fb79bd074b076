import { LIMITS } from '@postrider/core';
import type { Query } from '../client.ts';

/** A hold that its approvers are to hear of. */
export interface NoticedHold {
  readonly accountId: string;
  readonly id: string;
  readonly revision: number;
  readonly contentHash: string;
  readonly accountName: string;
  readonly keyName: string | null;
  readonly from: string;
  readonly subject: string;
  readonly recipients: readonly string[];
  readonly reasons: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Holds a statement takes at most. */
const HOLDS_AT_ONCE = 200;

/** Undecided holds whose approvers were not told, but of accounts that have had their mails for now; they count as told from here on. */
export async function claimUntold(transaction: Query, now: Date): Promise<readonly NoticedHold[]> {
  return await transaction<NoticedHold[]>`
    WITH claimed AS (
      UPDATE approvals SET told_at = ${now} WHERE (account_id, id) IN (
        SELECT account_id, id FROM approvals WHERE status = 'pending' AND told_at IS NULL AND expires_at > ${now}
          AND NOT ${isMailedOut(transaction, now)}
        ORDER BY created_at LIMIT ${HOLDS_AT_ONCE} FOR UPDATE SKIP LOCKED)
      RETURNING *
    )
    ${noticed(transaction)}`;
}

/** Gives them back to be told of later. */
export async function unclaim(transaction: Query, holds: readonly NoticedHold[]): Promise<void> {
  const rows = JSON.stringify(holds.map(({ accountId: a, id: h }) => ({ a, h })));
  await transaction`
    UPDATE approvals p SET told_at = NULL FROM json_to_recordset(${rows}::text::json) AS r (a uuid, h uuid)
    WHERE p.account_id = r.a AND p.id = r.h`;
}

/**
 * Counts the other untold holds of these accounts, which count as told from here on: the mail about some of them is the mail about all.
 */
export async function claimOthers(
  transaction: Query,
  accountIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const rows = await transaction<{ accountId: string; count: number }[]>`
    WITH claimed AS (
      UPDATE approvals SET told_at = ${now} WHERE (account_id, id) IN (
        SELECT account_id, id FROM approvals
        WHERE account_id = ANY (${[...accountIds]}::uuid[]) AND status = 'pending' AND told_at IS NULL AND expires_at > ${now}
        FOR UPDATE SKIP LOCKED)
      RETURNING account_id
    )
    SELECT account_id AS "accountId", count(*)::int AS count FROM claimed GROUP BY 1`;
  return new Map(rows.map(({ accountId, count }) => [accountId, count]));
}

/**
 * Counts one mail more to the approvers of each account.
 * @returns the accounts that had one left. Of two who ask for the last one at once, one gets it.
 */
export async function takeApprovalMails(
  transaction: Query,
  accountIds: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const horizon = mailHorizon(now);
  const rows = await transaction<{ accountId: string }[]>`
    INSERT INTO approval_mails AS w (account_id, mailed_at)
    SELECT a, ARRAY[${now}::timestamptz] FROM unnest(${[...accountIds]}::uuid[]) AS a ORDER BY a
    ON CONFLICT (account_id) DO UPDATE
    SET mailed_at = array(SELECT t FROM unnest(w.mailed_at) AS t WHERE t > ${horizon}) || excluded.mailed_at
    WHERE (SELECT count(*) FROM unnest(w.mailed_at) AS t WHERE t > ${horizon}) < ${LIMITS.approvalMails}
    RETURNING account_id AS "accountId"`;
  return new Set(rows.map(({ accountId }) => accountId));
}

function isMailedOut(query: Query, now: Date) {
  return query`EXISTS (SELECT FROM approval_mails w WHERE w.account_id = approvals.account_id
    AND (SELECT count(*) FROM unnest(w.mailed_at) AS t WHERE t > ${mailHorizon(now)}) >= ${LIMITS.approvalMails})`;
}

function mailHorizon(now: Date): Date {
  return new Date(now.getTime() - LIMITS.approvalMailMinutes * 60_000);
}

/**
 * Undecided holds whose approvers are to be reminded by now, locked. Those of accounts that have had their mails for now wait, and so do those
 * that another transaction has locked: the next look, a minute later, finds them.
 */
export async function lockDueReminders(transaction: Query, now: Date): Promise<readonly NoticedHold[]> {
  return await transaction<NoticedHold[]>`
    WITH claimed AS MATERIALIZED (
      SELECT * FROM approvals
      WHERE status = 'pending' AND least(expires_at, remind_at) <= ${now} AND remind_at <= ${now} AND expires_at > ${now}
        AND NOT ${isMailedOut(transaction, now)}
      ORDER BY remind_at LIMIT ${HOLDS_AT_ONCE} FOR UPDATE SKIP LOCKED
    )
    ${noticed(transaction)}`;
}

function noticed(query: Query) {
  return query`
    SELECT c.account_id AS "accountId", c.id, c.revision, c.content_hash AS "contentHash", a.name AS "accountName", k.name AS "keyName",
      m.from_given AS "from", m.subject, c.reasons, c.created_at AS "createdAt", c.expires_at AS "expiresAt",
      ARRAY(SELECT r.email FROM message_recipients r WHERE r.account_id = c.account_id AND r.message_id = c.message_id ORDER BY r.ordinal)
        AS recipients
    FROM claimed c JOIN accounts a ON a.id = c.account_id JOIN messages m ON m.account_id = c.account_id AND m.id = c.message_id
    LEFT JOIN api_keys k ON k.account_id = c.account_id AND k.id = c.key_id
    ORDER BY c.account_id, c.id`;
}

/** Sets when the approvers are reminded next; null where they are no more. */
export async function setReminders(
  transaction: Query,
  reminders: readonly { readonly accountId: string; readonly id: string; readonly at: Date | null }[],
): Promise<void> {
  const rows = reminders.map(({ accountId: a, id: h, at: t }) => ({ a, h, t: t?.toISOString() ?? null }));
  await transaction`
    UPDATE approvals p SET remind_at = r.t FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS r (a uuid, h uuid, t timestamptz)
    WHERE p.account_id = r.a AND p.id = r.h`;
}

export interface Approver {
  readonly memberId: string;
  readonly email: string;
}

/** The people of an account who decide. */
export async function readApprovers(query: Query, accountId: string): Promise<readonly Approver[]> {
  return await query<Approver[]>`
    SELECT id AS "memberId", email FROM members
    WHERE account_id = ${accountId} AND status = 'active' AND role IN ('owner', 'admin', 'approver') ORDER BY id`;
}

export interface NewApprovalLink {
  readonly accountId: string;
  readonly approvalId: string;
  readonly revision: number;
  readonly memberId: string;
  readonly tokenHash: Uint8Array;
}

/** A link that is there already stays as it is. */
export async function insertApprovalLinks(
  transaction: Query,
  links: readonly NewApprovalLink[],
  now: Date,
): Promise<void> {
  const rows = links.map(({ accountId: a, approvalId: h, revision: r, memberId: m, tokenHash }) => ({
    ...{ a, h, r, m, t: Buffer.from(tokenHash).toString('hex') },
  }));
  await transaction`
    INSERT INTO approval_links (account_id, token_hash, approval_id, revision, member_id, created_at)
    SELECT a, decode(t, 'hex'), h, r, m, ${now}
    FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS j (a uuid, t text, h uuid, r integer, m uuid)
    ON CONFLICT (account_id, token_hash) DO NOTHING`;
}

/** What a link is for. */
export interface ApprovalLink {
  readonly accountId: string;
  readonly approvalId: string;
  readonly revision: number;
  readonly memberId: string;
  readonly usedAt: Date | null;
  /** Whether the person still decides for the account. */
  readonly isApprover: boolean;
}

/** The link of a token; null where there is none. */
export async function findApprovalLink(query: Query, tokenHash: Uint8Array): Promise<ApprovalLink | null> {
  const [row] = await query<ApprovalLink[]>`
    SELECT l.account_id AS "accountId", l.approval_id AS "approvalId", l.revision, l.member_id AS "memberId", l.used_at AS "usedAt",
      EXISTS (SELECT FROM members m WHERE m.account_id = l.account_id AND m.id = l.member_id AND m.status = 'active'
        AND m.role IN ('owner', 'admin', 'approver')) AS "isApprover"
    FROM approval_links l WHERE l.token_hash = ${tokenHash}`;
  return row ?? null;
}

/** False where the link is gone: its member has lost the role that decides since it was found. */
export async function markLinkUsed(transaction: Query, tokenHash: Uint8Array, now: Date): Promise<boolean> {
  const rows = await transaction`
    UPDATE approval_links SET used_at = ${now} WHERE token_hash = ${tokenHash} AND used_at IS NULL RETURNING 1`;
  return rows.length > 0;
}
