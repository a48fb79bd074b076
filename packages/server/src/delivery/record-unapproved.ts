import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { UnapprovedMessage } from './attempt-delivery.ts';

export interface UnapprovedTools {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Someone changed what was approved, or the program is wrong. Both need a person. */
  readonly alarm: (facts: Readonly<Record<string, unknown>>, message: string) => void;
}

/** Writes the alarm and the audit entry of a held message that was stopped at delivery. An entry can repeat if the process dies in between. */
export async function recordUnapproved(
  { sql, clock, ids, alarm }: UnapprovedTools,
  { accountId, messageId: emailId, approvalId: targetId, reason }: UnapprovedMessage,
): Promise<void> {
  alarm({ accountId, emailId, approvalId: targetId, reason }, 'stopped a held message that is not what was approved');
  const now = clock.now();
  const entry = { accountId, id: ids.next(now), action: 'approval.breached', actor: 'system', targetId, now } as const;
  await appendAudit(sql, [{ ...entry, details: { emailId, reason } }]);
}
