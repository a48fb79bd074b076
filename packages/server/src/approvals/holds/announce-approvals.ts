import type { Query } from '../../db/client.ts';
import { readApprovals } from '../../db/queries/approvals.ts';
import { announce } from '../../events/announce.ts';
import { withoutContent } from '../../events/without-content.ts';
import type { IdGenerator } from '../../uuid-v7.ts';
import { toApproval } from './approval-record.ts';

/**
 * Announces changes of holds, with their records as this transaction sees them. The records have no bodies or headers, and no content
 * unless the hold is approved.
 */
export async function announceApprovals(
  transaction: Query,
  ids: IdGenerator,
  type: 'approval.requested' | 'approval.voted' | 'approval.decided' | 'approval.reminder',
  { accountId, approvalIds }: { readonly accountId: string; readonly approvalIds: readonly string[] },
  now: Date,
): Promise<void> {
  const rows = await readApprovals(transaction, accountId, approvalIds);
  const announcements = rows.map((row) => {
    const { html: _html, text: _text, headers: _headers, receipt: _receipt, ...data } = toApproval(row);
    return { accountId, type, data: data.status === 'approved' ? data : withoutContent(data, row.recipients) };
  });
  await announce(transaction, ids, announcements, now);
}
