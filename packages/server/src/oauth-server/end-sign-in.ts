import { renewSignIn } from '../db/queries/access-tokens.ts';
import { lockKey } from '../db/queries/api-keys.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import { deleteOAuthRecordsOf } from '../db/queries/oauth-records.ts';
import type { KeyTools } from '../keys/manage-keys.ts';
import type { SignInRef } from './sign-in-ref.ts';

/**
 * Ends a sign-in: all its tokens become invalid. The key stays, with what it holds for approval, so that the user can let the program
 * continue with it.
 */
export async function endSignIn(
  { sql, clock, ids }: KeyTools,
  { accountId, keyId, signIn }: SignInRef,
  why: 'signed out' | 'token used twice',
): Promise<void> {
  await sql.begin(async (transaction) => {
    const key = await lockKey(transaction, accountId, keyId);
    if (key === null || key.signIn !== signIn) return;
    await renewSignIn(transaction, { accountId, keyId });
    await deleteOAuthRecordsOf(transaction, { accountId, keyId });
    const now = clock.now();
    const details = { name: key.keyName, client: key.clientId ?? '', why };
    const entry = {
      accountId,
      id: ids.next(now),
      action: 'key.signed_out',
      actor: keyId,
      targetId: keyId,
      details,
      now,
    } as const;
    await appendAudit(transaction, [entry]);
  });
}
