import type { Query, Sql } from '../../db/client.ts';
import { lockApprovalOf, lockExpiredApproval, lockUndecidedOf } from '../../db/queries/approval-decisions.ts';
import type { IdGenerator } from '../../uuid-v7.ts';
import { type Decider, SYSTEM } from './decider.ts';
import { endHolds } from './end-hold.ts';

/** Takes a held message back, with its hold; false where it is held no more. */
export async function withdrawHeldMessage(
  sql: Sql,
  ids: IdGenerator,
  { accountId, messageId }: { readonly accountId: string; readonly messageId: string },
  decider: Decider,
  now: Date,
): Promise<boolean> {
  return await sql.begin(async (transaction) => {
    const hold = await lockApprovalOf(transaction, accountId, messageId);
    if (hold?.status !== 'pending') return false;
    await endHolds(transaction, ids, [hold], { status: 'withdrawn' }, decider, now);
    return true;
  });
}

/** Takes back what a key still has held, in the transaction that revokes the key and has locked it. */
export async function withdrawHoldsOf(
  transaction: Query,
  ids: IdGenerator,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  decider: Decider,
  now: Date,
): Promise<void> {
  const [first, ...others] = await lockUndecidedOf(transaction, accountId, keyId);
  if (first === undefined) return;
  await endHolds(transaction, ids, [first, ...others], { status: 'withdrawn', note: KEY_REVOKED }, decider, now);
}

const KEY_REVOKED = 'the key that sent it was revoked';

/** Ends the holds that nobody has decided in time, each in a transaction of its own; answers their messages. */
export async function expireHolds(sql: Sql, ids: IdGenerator, now: Date): Promise<readonly string[]> {
  const expired: string[] = [];
  for (;;) {
    const ended = await sql.begin(async (transaction) => {
      const hold = await lockExpiredApproval(transaction, now);
      if (hold === null) return { messageId: null };
      await endHolds(transaction, ids, [hold], { status: 'expired' }, SYSTEM, now);
      return { messageId: hold.messageId };
    });
    if (ended.messageId === null) return expired;
    expired.push(ended.messageId);
  }
}
