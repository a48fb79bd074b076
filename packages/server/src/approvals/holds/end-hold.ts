import type { RejectCode } from '@postrider/core';
import type { Query } from '../../db/client.ts';
import {
  addApprovalEvents,
  endApprovals,
  endHeldMessages,
  type LockedApproval,
} from '../../db/queries/approval-decisions.ts';
import { appendAudit } from '../../db/queries/audit-log.ts';
import type { IdGenerator } from '../../uuid-v7.ts';
import { announceApprovals } from './announce-approvals.ts';
import type { Decider } from './decider.ts';

/** How a hold ends without approval. */
export interface UnapprovedEnd {
  readonly status: 'rejected' | 'expired' | 'withdrawn';
  readonly note?: string | null;
  readonly rejectCode?: RejectCode | null;
  /** The hash of the receipt; null if no one decided. */
  readonly receipt?: string | null;
}

/** Withdrawing a hold cancels its message, like canceling a queued one. */
const MESSAGE_STATUS = { rejected: 'rejected', expired: 'expired', withdrawn: 'canceled' } as const;

/**
 * Ends undecided holds of one account that this transaction has locked: the holds, their messages, the events of both and the audit log. A
 * thousand holds take as many statements as one.
 */
export async function endHolds(
  transaction: Query,
  ids: IdGenerator,
  holds: readonly [LockedApproval, ...LockedApproval[]],
  end: UnapprovedEnd,
  decider: Decider,
  now: Date,
): Promise<void> {
  const { status, note = null, rejectCode = null, receipt = null } = end;
  const [{ accountId }] = holds;
  const detail = [rejectCode, note].filter((part) => part !== null).join(': ') || null;
  const ended = await endApprovals(transaction, holds, { status, note, rejectCode, now, decidedBy: decider.actor });
  if (ended < holds.length) throw new Error('a locked hold was decided by another transaction');
  await addApprovalEvents(
    transaction,
    holds.map((hold) => ({
      ...{ hold, id: ids.next(now), type: status, hashAfter: hold.contentHash, detail, now, ...decider },
    })),
  );
  await announceApprovals(
    transaction,
    ids,
    'approval.decided',
    { accountId, approvalIds: holds.map(({ id }) => id) },
    now,
  );
  // This takes the account's quota row, which every send of the account waits for, so it comes late.
  await endHeldMessages(transaction, holds, {
    ...{
      status: MESSAGE_STATUS[status],
      detail: detail ?? (status === 'withdrawn' ? `by ${decider.actor}` : null),
      now,
    },
    nextId: () => ids.next(now),
  });
  // Last, because this locks the account's audit chain until the commit.
  await appendAudit(
    transaction,
    holds.map(({ id, messageId }) => ({
      ...{
        accountId,
        id: ids.next(now),
        action: `approval.${status}` as const,
        actor: decider.actor,
        targetId: id,
        now,
      },
      details: {
        ...{ emailId: messageId, way: decider.way },
        ...(rejectCode === null ? {} : { rejectCode }),
        ...(receipt === null ? {} : { receipt }),
      },
    })),
  );
}
