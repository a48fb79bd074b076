import type { Query } from '../db/client.ts';
import { readApproverRules } from '../db/queries/approver-rules.ts';
import type { MessageOwner } from '../db/queries/queued-messages.ts';
import type { Refusal } from './acceptance.ts';

/** The caller that wants to move the time. */
interface MovingCaller {
  readonly accountId: string;
  readonly keyId: string;
  /** Null if the caller is a key. */
  readonly user: object | null;
}

/**
 * Why a caller may not move the time of an approved message; null if it may. The time is part of what was approved, and the receipt states
 * it. So where no single session or key could approve it, none can move its time.
 */
export async function judgeApprovedTime(
  query: Query,
  { accountId, keyId, user }: MovingCaller,
  owner: Pick<MessageOwner, 'ownerKeyId' | 'keyId'>,
): Promise<Refusal | null> {
  const { requirePasskey, count, memberIds } = await readApproverRules(query, accountId, [
    owner.ownerKeyId,
    owner.keyId,
  ]);
  if (requirePasskey) return refuse('with a passkey');
  if (count > 1) return refuse(`by ${count} people`);
  if (memberIds !== null) return refuse('by the members that its key names');
  const isOwn = user === null && keyId === owner.ownerKeyId;
  return isOwn ? OWN : null;
}

function refuse(how: string): Refusal {
  return {
    code: 'permission_escalation',
    detail: `This message was approved for its current time, and what its key sends must be approved ${how}. So no one can change its time.`,
    fix: 'Cancel the message and send it again with the new time: the new send is held for approval.',
  };
}

const OWN: Refusal = {
  code: 'permission_escalation',
  detail: 'This message was approved for its current time. The key that asked for it cannot change that time.',
  fix: 'Ask a user to change the time. Or cancel the message and send it again with the new time.',
};
