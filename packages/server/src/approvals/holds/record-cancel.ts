import type { Query } from '../../db/client.ts';
import { addApprovalEvents, lockApprovalOf } from '../../db/queries/approval-decisions.ts';
import { appendAudit } from '../../db/queries/audit-log.ts';
import type { IdGenerator } from '../../uuid-v7.ts';
import type { Decider } from './decider.ts';

/** Records who canceled an approved message, in the transaction that cancels it. The decision itself stays unchanged. */
export async function recordCancel(
  transaction: Query,
  ids: IdGenerator,
  { accountId, messageId }: { readonly accountId: string; readonly messageId: string },
  decider: Decider,
  now: Date,
): Promise<void> {
  const hold = await lockApprovalOf(transaction, accountId, messageId);
  if (hold === null) return;
  const { id: targetId, contentHash: hashAfter } = hold;
  await addApprovalEvents(transaction, [
    { hold, id: ids.next(now), type: 'canceled', hashAfter, detail: null, now, ...decider },
  ]);
  const details = { emailId: messageId, way: decider.way };
  await appendAudit(transaction, [
    { accountId, id: ids.next(now), action: 'approval.canceled', actor: decider.actor, targetId, details, now },
  ]);
}
