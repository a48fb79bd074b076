import { appendAudit } from '../../db/queries/audit-log.ts';
import { removeSuppression } from '../../db/queries/suppressions.ts';
import { announce } from '../../events/announce.ts';
import { toSuppression } from '../../suppressions/suppression-record.ts';
import { redactSuppressions } from '../../visibility/redact-suppressions.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { toSuppressionName, unknownSuppression } from './suppression-name.ts';

/** Removes one entry of the suppression list and records in the audit log who did it. */
export const deleteSuppression: Handler<'suppressions.delete'> = async (
  { params, query },
  { services: { database }, caller },
) => {
  const { accountId, keyId: actor } = caller;
  const name = toSuppressionName(params.id);
  const now = database.clock.now();
  const row = await database.sql.begin(async (transaction) => {
    const removed = await removeSuppression(transaction, accountId, name, now);
    if (removed === null) return null;
    const { id: targetId, email, reason, emailId } = removed;
    const details = { email, reason, emailId, note: query.note ?? null };
    const announcement = { accountId, type: 'suppression.removed', data: toSuppression(removed) } as const;
    await announce(transaction, database.ids, [announcement], now);
    const id = database.ids.next(now);
    await appendAudit(transaction, [{ accountId, id, action: 'suppression.removed', actor, targetId, details, now }]);
    return removed;
  });
  if (row === null) throw unknownSuppression(params.id);
  const [shown = row] = await redactSuppressions(database.sql, accountId, [row], viewerOf(caller));
  return { body: toSuppression(shown) };
};
