import type { Transaction } from '../../db/client.ts';
import { appendAudit } from '../../db/queries/audit-log.ts';
import type { PasskeyRow } from '../../db/queries/passkeys.ts';
import { readSeats } from '../../db/queries/users.ts';
import type { User } from '../../keys/caller.ts';
import type { SignInTools } from '../sign-in.ts';

/** Records the change in the audit log of every account that the user has a seat in, because the passkey opens all of them. */
export async function notePasskey(
  transaction: Transaction,
  { clock, ids }: Pick<SignInTools, 'clock' | 'ids'>,
  action: 'passkey.added' | 'passkey.removed',
  { id: targetId, name }: PasskeyRow,
  { userId, sessionId: bySession }: Pick<User, 'userId'> & { readonly sessionId: string | null },
): Promise<void> {
  const now = clock.now();
  const seats = await readSeats(transaction, userId);
  const entry = { action, targetId, details: { name, bySession }, now } as const;
  await appendAudit(
    transaction,
    seats.map(({ accountId, memberId }) => ({
      ...{ ...entry, id: ids.next(now), accountId },
      // No session: the operator did it.
      actor: bySession === null ? 'operator' : memberId,
    })),
  );
}
