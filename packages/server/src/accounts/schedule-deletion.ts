import { cancelDeletionOf, scheduleDeletionOf } from '../db/queries/account-deletion.ts';
import { type AuditAction, type AuditEntry, appendAudit } from '../db/queries/audit-log.ts';
import type { AccountTools } from './create-account.ts';

const DAY_MS = 86_400_000;

/** Schedules the deletion of an account and returns its time. An existing schedule stays unchanged. */
export async function scheduleDeletion(
  { sql, clock, ids }: AccountTools,
  accountId: string,
  actor: string,
  graceDays: number,
): Promise<Date> {
  const now = clock.now();
  const at = new Date(now.getTime() + graceDays * DAY_MS);
  return await sql.begin(async (transaction) => {
    const { isNew, scheduledAt } = await scheduleDeletionOf(transaction, accountId, at);
    const entry = entryOf('account.deletion_scheduled', accountId, actor, ids.next(now), now);
    if (isNew) await appendAudit(transaction, [{ ...entry, details: { deletionScheduledAt: at.toISOString() } }]);
    return scheduledAt;
  });
}

/** Cancels the scheduled deletion of an account; does nothing if none is scheduled. */
export async function cancelDeletion(
  { sql, clock, ids }: AccountTools,
  accountId: string,
  actor: string,
): Promise<void> {
  const now = clock.now();
  await sql.begin(async (transaction) => {
    if (!(await cancelDeletionOf(transaction, accountId))) return;
    await appendAudit(transaction, [entryOf('account.deletion_canceled', accountId, actor, ids.next(now), now)]);
  });
}

function entryOf(action: AuditAction, accountId: string, actor: string, id: string, now: Date): AuditEntry {
  return { accountId, id, action, actor, targetId: null, details: {}, now };
}
