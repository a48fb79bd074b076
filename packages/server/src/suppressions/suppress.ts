import type { Transaction } from '../db/client.ts';
import { type AuditActor, appendAudit } from '../db/queries/audit-log.ts';
import { type AddOptions, addSuppressions, type NewSuppression } from '../db/queries/suppressions.ts';
import { announce } from '../events/announce.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { toSuppression } from './suppression-record.ts';

/**
 * Adds addresses to the suppression list, with an audit entry for each new one, and returns the ids of the new entries. The first of
 * several entries for one address counts. Call this last in a transaction, because the audit log stays locked until the commit.
 */
export async function suppress(
  transaction: Transaction,
  ids: IdGenerator,
  entries: readonly NewSuppression[],
  options: AddOptions & { readonly actor: AuditActor },
): Promise<ReadonlySet<string>> {
  const unique = new Map(entries.toReversed().map((entry) => [`${entry.accountId} ${entry.email}`, entry]));
  const added = await addSuppressions(transaction, [...unique.values()], options);
  const { now, actor } = options;
  const fresh = entries.filter(({ id }) => added.has(id));
  await announce(
    transaction,
    ids,
    fresh.map((entry) => toAnnouncement(entry, now)),
    now,
  );
  await appendAudit(
    transaction,
    fresh.map(({ accountId, id, email, reason, emailId, note, expiresAt }) => ({
      ...{ accountId, id: ids.next(now), action: 'suppression.added', actor, targetId: id, now },
      details: { email, reason, emailId, note, expiresAt: expiresAt?.toISOString() ?? null },
    })),
  );
  return added;
}

function toAnnouncement({ accountId, ...entry }: NewSuppression, createdAt: Date) {
  return { accountId, type: 'suppression.added', data: toSuppression({ ...entry, createdAt }) } as const;
}
