import { appendAudit } from '../db/queries/audit-log.ts';
import { setAccountPaused } from '../db/queries/key-changes.ts';
import type { AccountTools } from './create-account.ts';

/** Stops the sending of all keys of an account or lets it go on; an account that stands so already stays as it is. */
export async function pauseAccount(
  { sql, clock, ids }: AccountTools,
  { accountId, keyId: actor }: { readonly accountId: string; readonly keyId: string },
  paused: boolean,
): Promise<void> {
  const now = clock.now();
  await sql.begin(async (transaction) => {
    if (!(await setAccountPaused(transaction, accountId, paused ? now : null))) return;
    const action = paused ? 'account.paused' : 'account.resumed';
    await appendAudit(transaction, [{ accountId, id: ids.next(now), action, actor, targetId: null, details: {}, now }]);
  });
}
