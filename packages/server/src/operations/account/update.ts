import { cancelDeletion } from '../../accounts/schedule-deletion.ts';
import { changeAccount } from '../../db/queries/account-record.ts';
import { appendAudit } from '../../db/queries/audit-log.ts';
import type { Handler } from '../context.ts';
import { readAccount } from './account-record.ts';

export const updateAccount: Handler<'account.update'> = async (
  { body },
  { services: { database, callers, installation }, caller: { accountId, keyId: actor } },
) => {
  const { name = null, trackOpens = null, trackClicks = null, cancelDeletion: isKept = false } = body;
  if (isKept) await cancelDeletion(database, accountId, actor);
  const now = database.clock.now();
  await database.sql.begin(async (transaction) => {
    if (!(await changeAccount(transaction, accountId, { name, trackOpens, trackClicks }))) return;
    const given = Object.entries({ name, trackOpens, trackClicks }).filter(([, value]) => value !== null);
    const entry = {
      accountId,
      id: database.ids.next(now),
      actor,
      targetId: null,
      details: Object.fromEntries(given),
      now,
    };
    await appendAudit(transaction, [{ ...entry, action: 'account.updated' }]);
  });
  // The switches take effect here at once; other processes cache a key for half a second.
  callers.forget();
  return { body: await readAccount({ database, installation }, accountId) };
};
