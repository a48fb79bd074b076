import type { Query } from '../../db/client.ts';
import { appendAudit } from '../../db/queries/audit-log.ts';
import type { IdGenerator } from '../../uuid-v7.ts';
import { announceApprovals } from './announce-approvals.ts';

/** A hold that this transaction created. */
export interface MadeHold {
  readonly accountId: string;
  readonly id: string;
  readonly emailId: string;
  readonly keyId: string;
  readonly reasons: readonly string[];
}

/** Announces new holds and writes them to the audit log, in the transaction that creates them. */
export async function announceHolds(
  transaction: Query,
  ids: IdGenerator,
  holds: readonly MadeHold[],
  now: Date,
): Promise<void> {
  for (const accountId of new Set(holds.map((hold) => hold.accountId))) {
    const approvalIds = holds.filter((hold) => hold.accountId === accountId).map(({ id }) => id);
    await announceApprovals(transaction, ids, 'approval.requested', { accountId, approvalIds }, now);
  }
  await appendAudit(
    transaction,
    holds.map(({ accountId, id, emailId, keyId, reasons }) => ({
      ...{ accountId, id: ids.next(now), action: 'approval.requested' as const, actor: keyId, targetId: id, now },
      details: { emailId, reasons: reasons.join(', ') },
    })),
  );
}
