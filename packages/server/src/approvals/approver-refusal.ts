import type { Query } from '../db/client.ts';
import { type ApproverRules, readAbleApprovers } from '../db/queries/approver-rules.ts';
import type { Refusal } from '../sending/acceptance.ts';

/** Who wants to approve: a key, or the member `memberId`. */
export interface WouldApprove {
  readonly memberId: string;
  readonly isKey: boolean;
}

/** Why the rules of a hold do not let this member or key approve it; null if they do. It can still be rejected. */
export async function refuseByRules(
  query: Query,
  accountId: string,
  rules: ApproverRules,
  approver: WouldApprove,
): Promise<Refusal | null> {
  if (rules.count === 1 && rules.memberIds === null) return null;
  // Members may have left since the rules were set.
  return (
    refuseTooFew(rules, await readAbleApprovers(query, accountId, rules.memberIds)) ?? refuseApprover(rules, approver)
  );
}

function refuseApprover({ count, memberIds }: ApproverRules, { memberId, isKey }: WouldApprove): Refusal | null {
  if (isKey && count > 1) {
    return refuse(`${count} people must approve this, and a key is not a person.`, 'Ask the approvers to approve it.');
  }
  if (memberIds === null || (!isKey && memberIds.includes(memberId))) return null;
  return refuse(
    'Only the approvers that its key names can approve this, and the caller is not one of them.',
    'Ask one of them to approve it, or reject it. `approvers.memberIds` of the hold lists them.',
  );
}

function refuseTooFew({ count }: ApproverRules, able: readonly string[]): Refusal | null {
  if (able.length >= count) return null;
  const people = able.length === 0 ? 'no one' : `only ${able.length}`;
  return refuse(
    `${count} ${count === 1 ? 'person' : 'people'} must approve this, but ${people} can.`,
    'Give more members a role that can approve, or change `approvers` of the key or the account.',
  );
}

function refuse(detail: string, fix: string): Refusal {
  return { code: 'permission_escalation', detail: `${detail} The send is still held.`, fix };
}
