import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { executing } from '../result.ts';
import type { auditLog } from '../schema/audit.ts';
import { defineStatement, value } from '../statement.ts';

/** All audited actions: a noun and what happened to it. */
export type AuditAction =
  | 'key.created'
  | 'key.updated'
  | 'key.rotated'
  | 'key.revoked'
  | 'key.paused'
  | 'key.resumed'
  | 'key.expiring'
  | 'key.signed_in'
  | 'key.signed_out'
  | 'member.invited'
  | 'member.joined'
  | 'member.updated'
  | 'member.removed'
  | 'session.started'
  | 'session.ended'
  | 'passkey.added'
  | 'passkey.removed'
  | 'approval.requested'
  | 'approval.voted'
  | 'approval.approved'
  | 'approval.rejected'
  | 'approval.expired'
  | 'approval.withdrawn'
  | 'approval.canceled'
  | 'approval.rescheduled'
  | 'approval.breached'
  | 'approval.adopted'
  | 'template.created'
  | 'template.updated'
  | 'template.deleted'
  | 'template.drafted'
  | 'template.published'
  | 'template.discarded'
  | 'account.updated'
  | 'account.paused'
  | 'account.resumed'
  | 'suppression.added'
  | 'suppression.removed'
  | 'account.deletion_scheduled'
  | 'account.deletion_canceled'
  | 'account.reputation_changed'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.rotated'
  | 'webhook.disabled'
  | 'webhook.deleted'
  | 'domain.created'
  | 'domain.pending'
  | 'domain.verified'
  | 'domain.degraded'
  | 'domain.failed'
  | 'domain.claimed'
  | 'domain.rotation_started'
  | 'domain.rotated'
  | 'domain.removed'
  | 'domain.restored';

/**
 * Who did it: the id of a key or a user; `system` for a rule, `operator` for the server's command line, `recipient` for someone who
 * received mail.
 */
export type AuditActor = string;

/** `targetId` is the id of what changed; null means the account itself. `details` adds what readers need to know, never a secret. */
export interface AuditEntry
  extends Readonly<Pick<typeof auditLog.$inferSelect, 'accountId' | 'id' | 'targetId' | 'details'>> {
  readonly action: AuditAction;
  readonly actor: AuditActor;
  readonly now: Date;
}

const append = defineStatement({ entries: value<string>() }, ({ entries }) =>
  executing(sql`SELECT FROM append_audit(${entries}::text::jsonb)`),
);

/**
 * Adds entries to the audit log, each chained to the account's previous entry. Call it as the last statement of the transaction that makes
 * the change: it locks the account's chain until the commit.
 */
export async function appendAudit(query: Query, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ accountId, id, action, actor, targetId, details, now }) => ({
    ...{ account_id: accountId, id, action, actor, target_id: targetId, details },
    created_at: now.toISOString(),
  }));
  await append(query, { entries: JSON.stringify(rows) });
}
