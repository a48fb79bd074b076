import type { Scope } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { readApproverRules } from '../db/queries/approver-rules.ts';
import type { MessageOwner } from '../db/queries/queued-messages.ts';
import type { Refusal } from './acceptance.ts';

/** The caller that wants to move the time. */
interface MovingCaller {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  /** Null if the caller is a key. */
  readonly user: object | null;
}

/**
 * Why a caller may not move the time of an approved message; null if it may. The time is part of what was approved, and the receipt states
 * it. So moving it takes what approving it takes: one caller can do that only where one caller without a passkey can approve.
 */
export async function judgeApprovedTime(
  query: Query,
  { accountId, keyId, scopes, user }: MovingCaller,
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
  return scopes.includes('approvals:decide') && !isOwn ? null : NEEDS_DECIDER;
}

function refuse(how: string): Refusal {
  return {
    code: 'permission_escalation',
    detail: `This message was approved for its current time, and what its key sends must be approved ${how}. So no one can change its time.`,
    fix: 'Cancel the message and send it again with the new time: the new send is held for approval.',
  };
}

const NEEDS_DECIDER: Refusal = {
  code: 'permission_escalation',
  detail:
    'This message was approved for its current time. Only a caller that could have approved it can change that time.',
  fix: 'Ask an approver to change the time. Or cancel the message and send it again with the new time.',
};
