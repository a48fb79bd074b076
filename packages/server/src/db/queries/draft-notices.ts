import { LIMITS } from '@postrider/core';
import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { nullable, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { apiKeys } from '../schema/keys.ts';
import { templates, templateVersions } from '../schema/templates.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/** Maximum number of drafts that one statement claims. */
const DRAFTS_AT_ONCE = 200;

const readAccounts = defineStatement({ horizon: value<Date>() }, ({ horizon }) =>
  returning(
    { accountId: templateVersions.accountId },
    sql`
      SELECT DISTINCT d.account_id AS "accountId" FROM template_versions d
      WHERE d.status = 'draft' AND d.told_at IS NULL AND NOT EXISTS (
        SELECT FROM approval_mails w WHERE w.account_id = d.account_id
          AND (SELECT count(*) FROM unnest(w.mailed_at) AS t WHERE t > ${horizon}) >= ${LIMITS.approvalMails})`,
  ),
);

/** Finds accounts with drafts that approvers were not mailed about, if the account is below its mail limit. */
export async function readAccountsWithUnnotifiedDrafts(query: Query, now: Date): Promise<readonly string[]> {
  const horizon = new Date(now.getTime() - LIMITS.approvalMailMinutes * 60_000);
  const rows = await readAccounts(query, { horizon });
  return rows.map(({ accountId }) => accountId);
}

const claim = defineStatement({ accountIds: value<readonly string[]>(), now: value<Date>() }, ({ accountIds, now }) =>
  returning(
    {
      accountId: templateVersions.accountId,
      accountName: accounts.name,
      templateId: templateVersions.templateId,
      version: templateVersions.version,
      slug: templates.slug,
      name: templates.name,
      keyName: nullable(apiKeys.name),
      note: templateVersions.note,
      /** The members who can publish it; null for every member whose role decides. */
      approverIds: nullable(apiKeys.approverIds),
    },
    sql`
      WITH claimed AS (
        UPDATE template_versions SET told_at = ${now} WHERE (account_id, template_id, version) IN (
          SELECT account_id, template_id, version FROM template_versions
          WHERE account_id = ANY (${accountIds}::uuid[]) AND status = 'draft' AND told_at IS NULL
          ORDER BY created_at LIMIT ${DRAFTS_AT_ONCE} FOR UPDATE SKIP LOCKED)
        RETURNING *
      )
      SELECT c.account_id AS "accountId", a.name AS "accountName", c.template_id AS "templateId", c.version, t.slug, t.name,
        k.name AS "keyName", c.note, k.approver_ids AS "approverIds"
      FROM claimed c JOIN accounts a ON a.id = c.account_id
      JOIN templates t ON t.account_id = c.account_id AND t.id = c.template_id
      LEFT JOIN api_keys k ON k.account_id = c.account_id AND k.id::text = c.created_by
      ORDER BY c.account_id, c.draft_id`,
  ),
);

/** A template draft to mail approvers about. */
export type NoticedDraft = RowOf<typeof claim>;

/** Claims the unnotified drafts of these accounts, which marks them as notified. */
export async function claimUnnotifiedDrafts(
  transaction: Query,
  accountIds: readonly string[],
  now: Date,
): Promise<readonly NoticedDraft[]> {
  return await claim(transaction, { accountIds, now });
}
