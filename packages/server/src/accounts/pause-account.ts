import { appendAudit } from '../db/queries/audit-log.ts';
import { lockAccountPause, setAccountPause } from '../db/queries/pauses.ts';
import { decidePause, type Pauser } from '../keys/pause-rule.ts';
import type { AccountTools } from './create-account.ts';

export type PauseVerdict = { readonly kind: 'done' } | { readonly kind: 'paused-by-user'; readonly pauser: Pauser };

/** Pauses or resumes sending for all keys of an account. A key cannot resume what a user paused. */
export async function pauseAccount(
  { sql, clock, ids }: AccountTools,
  by: { readonly accountId: string; readonly keyId: string; readonly isUser: boolean },
  paused: boolean,
): Promise<PauseVerdict> {
  const { accountId, keyId: actor, isUser } = by;
  const now = clock.now();
  return await sql.begin(async (transaction): Promise<PauseVerdict> => {
    const present = await lockAccountPause(transaction, accountId);
    const step = decidePause(present, paused, isUser);
    if (present !== null && step === 'refuse') return { kind: 'paused-by-user', pauser: present };
    if (step === 'nothing') return { kind: 'done' };
    await setAccountPause(transaction, accountId, paused ? actor : null, now);
    const action = paused ? 'account.paused' : 'account.resumed';
    await appendAudit(transaction, [{ accountId, id: ids.next(now), action, actor, targetId: null, details: {}, now }]);
    return { kind: 'done' };
  });
}
