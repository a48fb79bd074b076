import { LIMITS } from '@postrider/core';
import type { Query } from '../client.ts';

/** A template draft that approvers are to be mailed about. */
export interface NoticedDraft {
  readonly accountId: string;
  readonly accountName: string;
  readonly templateId: string;
  readonly version: number;
  readonly slug: string;
  readonly name: string;
  readonly keyName: string | null;
  readonly note: string | null;
}

/** Drafts that one statement claims at most. */
const DRAFTS_AT_ONCE = 200;

/** Accounts with drafts that no approver was mailed about, and that may have one mail more. */
export async function readAccountsWithUntoldDrafts(query: Query, now: Date): Promise<readonly string[]> {
  const horizon = new Date(now.getTime() - LIMITS.approvalMailMinutes * 60_000);
  const rows = await query<{ accountId: string }[]>`
    SELECT DISTINCT d.account_id AS "accountId" FROM template_versions d
    WHERE d.status = 'draft' AND d.told_at IS NULL AND NOT EXISTS (
      SELECT FROM approval_mails w WHERE w.account_id = d.account_id
        AND (SELECT count(*) FROM unnest(w.mailed_at) AS t WHERE t > ${horizon}) >= ${LIMITS.approvalMails})`;
  return rows.map(({ accountId }) => accountId);
}

/** The untold drafts of these accounts, which count as told from here on. */
export async function claimUntoldDrafts(
  transaction: Query,
  accountIds: readonly string[],
  now: Date,
): Promise<readonly NoticedDraft[]> {
  return await transaction<NoticedDraft[]>`
    WITH claimed AS (
      UPDATE template_versions SET told_at = ${now} WHERE (account_id, template_id, version) IN (
        SELECT account_id, template_id, version FROM template_versions
        WHERE account_id = ANY (${[...accountIds]}::uuid[]) AND status = 'draft' AND told_at IS NULL
        ORDER BY created_at LIMIT ${DRAFTS_AT_ONCE} FOR UPDATE SKIP LOCKED)
      RETURNING *
    )
    SELECT c.account_id AS "accountId", a.name AS "accountName", c.template_id AS "templateId", c.version, t.slug, t.name,
      k.name AS "keyName", c.note
    FROM claimed c JOIN accounts a ON a.id = c.account_id
    JOIN templates t ON t.account_id = c.account_id AND t.id = c.template_id
    LEFT JOIN api_keys k ON k.account_id = c.account_id AND k.id::text = c.created_by
    ORDER BY c.account_id, c.draft_id`;
}
