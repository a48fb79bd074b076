import { createApprovalToken } from '../../packages/server/src/approvals/approval-token.ts';
import { insertApprovalLinks } from '../../packages/server/src/db/queries/approval-notices.ts';
import type { TaggedSql } from './tagged.ts';

/** Creates the approval link that the account's owner would receive by mail. Resolves with its token. */
export async function makeApprovalLink(sql: TaggedSql, approvalId: string): Promise<string> {
  const { token, hash: tokenHash } = createApprovalToken();
  const [hold] = await sql<{ accountId: string; revision: number; memberId: string }[]>`
    SELECT h.account_id AS "accountId", h.revision, m.id AS "memberId" FROM approvals h
    JOIN members m ON m.account_id = h.account_id AND m.role = 'owner' AND m.status = 'active'
    WHERE h.id = ${approvalId} LIMIT 1`;
  if (hold === undefined) throw new Error(`there is no hold ${approvalId} that an owner could decide`);
  await insertApprovalLinks(sql, [{ ...hold, approvalId, tokenHash }], new Date());
  return token;
}
