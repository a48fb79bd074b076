import type { Query, Sql } from '../../db/client.ts';
import { lockApprovalOf, lockExpiredApproval, lockUndecidedOf } from '../../db/queries/approval-decisions.ts';
import type { IdGenerator } from '../../uuid-v7.ts';
import { type Decider, SYSTEM } from './decider.ts';
import { endHolds } from './end-hold.ts';

/** Withdraws a held message and its hold. Returns false if the message is no longer held. */
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

/** Withdraws all messages of a key that are still held, in the transaction that has locked and revokes the key. */
export async function withdrawHoldsOfKey(
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

/** Expires holds that were not decided in time, each in its own transaction. Returns the ids of their messages. */
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
