import type { Query } from '../db/client.ts';
import { addApprovalEvents, type LockedApproval } from '../db/queries/approval-decisions.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { announceApprovals } from './holds/announce-approvals.ts';
import type { Decider } from './holds/decider.ts';

/** Records an approval in the hold's events and the audit log, and announces it. */
export async function recordApproval(
  transaction: Query,
  ids: IdGenerator,
  hold: LockedApproval,
  decider: Decider,
  what: {
    readonly fields: readonly string[];
    readonly note: string | null;
    readonly contentHash: string;
    readonly outcome: 'queued' | 'failed';
    readonly remember: boolean;
    readonly now: Date;
    /** The id of the passkey that confirmed it; null without one. */
    readonly passkey: string | null;
    /** The hash of the receipt. */
    readonly receipt: string;
  },
): Promise<void> {
  const { fields, note, contentHash: hashAfter, outcome, remember, now, passkey, receipt } = what;
  const { accountId, id: targetId, messageId } = hold;
  const event = { hashAfter, now, ...decider };
  const edited = { hold, id: ids.next(now), type: 'edited' as const, detail: fields.join(', '), ...event };
  const after = { ...hold, contentHash: hashAfter };
  const approved = { hold: after, id: ids.next(now), type: 'approved' as const, detail: note, ...event };
  await addApprovalEvents(transaction, fields.length > 0 ? [edited, approved] : [approved]);
  await announceApprovals(transaction, ids, 'approval.decided', { accountId, approvalIds: [targetId] }, now);
  const details = {
    ...{ emailId: messageId, way: decider.way, outcome, receipt },
    ...(fields.length > 0 ? { edited: fields.join(', ') } : {}),
    ...(remember ? { remember } : {}),
    ...(passkey === null ? {} : { passkey }),
  };
  await appendAudit(transaction, [
    { accountId, id: ids.next(now), action: 'approval.approved', actor: decider.actor, targetId, details, now },
  ]);
}
