import type { Clock } from '../clock.ts';
import type { Sql, Transaction } from '../db/client.ts';
import { insertAccount, insertMember } from '../db/queries/accounts.ts';
import { createKey, FIRST_KEY } from '../keys/create-key.ts';
import type { IdGenerator } from '../uuid-v7.ts';

export interface CreatedAccount {
  readonly accountId: string;
  /** The secret of the account's first key, with scope `full`; shown once. */
  readonly key: string;
}

export interface AccountTools {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Creates an account with an owner and a first key, plus what `alongside` writes, all in one transaction. */
export async function createAccount(
  { sql, clock, ids }: AccountTools,
  { name, ownerEmail }: { readonly name: string; readonly ownerEmail: string },
  alongside: (transaction: Transaction, accountId: string) => Promise<void> = async () => {},
): Promise<CreatedAccount> {
  const now = clock.now();
  const accountId = ids.next(now);
  const ownerId = ids.next(now);
  const key = await sql.begin(async (transaction) => {
    await insertAccount(transaction, { id: accountId, name, now });
    await insertMember(transaction, { accountId, id: ownerId, email: ownerEmail, role: 'owner', now });
    await alongside(transaction, accountId);
    return await createKey(transaction, ids, {
      accountId,
      name: 'First key',
      mode: 'live',
      ...FIRST_KEY,
      createdByMember: ownerId,
      now,
    });
  });
  return { accountId, key: key.secret };
}
