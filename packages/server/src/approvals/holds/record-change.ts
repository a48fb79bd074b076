import type { Query } from '../../db/client.ts';
import { addApprovalEvents, lockApprovalOf } from '../../db/queries/approval-decisions.ts';
import { appendAudit } from '../../db/queries/audit-log.ts';
import type { IdGenerator } from '../../uuid-v7.ts';
import type { Decider } from './decider.ts';

/** What became of an approved message before its delivery. */
export type ApprovedChange =
  | { readonly type: 'canceled' }
  | { readonly type: 'rescheduled'; readonly scheduledAt: string };

/** Records who changed an approved message, in the transaction that changes it. The decision itself stays unchanged. */
export async function recordApprovedChange(
  transaction: Query,
  ids: IdGenerator,
  { accountId, messageId }: { readonly accountId: string; readonly messageId: string },
  { type, ...changed }: ApprovedChange,
  decider: Decider,
  now: Date,
): Promise<void> {
  const hold = await lockApprovalOf(transaction, accountId, messageId);
  if (hold === null) return;
  const { id: targetId, contentHash: hashAfter } = hold;
  const detail = 'scheduledAt' in changed ? changed.scheduledAt : null;
  await addApprovalEvents(transaction, [{ hold, id: ids.next(now), type, hashAfter, detail, now, ...decider }]);
  const details = { emailId: messageId, way: decider.way, ...changed };
  await appendAudit(transaction, [
    { accountId, id: ids.next(now), action: `approval.${type}`, actor: decider.actor, targetId, details, now },
  ]);
}
