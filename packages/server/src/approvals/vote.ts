import type { EditableField } from '@postrider/core';
import type { Query } from '../db/client.ts';
import type { LockedApproval } from '../db/queries/approval-decisions.ts';
import { addApprovalEvents } from '../db/queries/approval-decisions.ts';
import { clearVotes, putVote, readCountingVotes, reviseApproval } from '../db/queries/approval-votes.ts';
import type { ApproverRules } from '../db/queries/approver-rules.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import { memberDeciderSchema, type ReceiptDecider } from '../receipts/receipt-claims.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { announceApprovals } from './holds/announce-approvals.ts';
import type { Decider } from './holds/decider.ts';

/** The approval of one member, where more than one must approve. */
export interface Voting {
  readonly decider: Decider;
  /** As the receipt names the member. */
  readonly signer: ReceiptDecider;
  readonly rules: ApproverRules;
  readonly note: string | null;
  readonly remember: boolean;
  /** The fields that this approval changes, and the hash of the content with the changes. */
  readonly fields: readonly EditableField[];
  readonly contentHash: string;
  /** The id of the passkey that confirmed it; null without one. */
  readonly passkey: string | null;
  readonly now: Date;
}

/** The approvals that count now, with this one. */
export interface Votes {
  readonly deciders: readonly ReceiptDecider[];
  /** Whether every one of them asked to trust the recipients. */
  readonly remember: boolean;
  /** False if the member had approved the same before, in the same way. */
  readonly isNew: boolean;
}

/**
 * Stores the approval of a member and returns all approvals that count. An edit changes the message for everyone, so it clears earlier ones.
 * @throws LostRoleError if the member may no longer decide
 */
export async function vote(
  transaction: Query,
  hold: LockedApproval,
  { decider, signer, rules, note, remember, fields, contentHash, now }: Voting,
): Promise<Votes> {
  const revision = fields.length === 0 ? hold.revision : hold.revision + 1;
  if (fields.length > 0) {
    await clearVotes(transaction, hold);
    await reviseApproval(transaction, hold, { contentHash, edited: editedSince(hold, fields) });
  }
  const memberId = decider.actor;
  const isNew = await putVote(transaction, hold, {
    memberId,
    revision,
    decider: signer,
    remember,
    note,
    createdAt: now,
  });
  const counting = await readCountingVotes(transaction, hold, revision, rules);
  if (!counting.some((other) => other.memberId === memberId)) throw new LostRoleError();
  return {
    deciders: counting.map((other) => memberDeciderSchema.parse(other.decider)),
    remember: counting.every((other) => other.remember),
    isNew,
  };
}

/** The member lost the right to decide while the request was running. Thrown so that the transaction rolls back. */
export class LostRoleError extends Error {
  override readonly name = 'LostRoleError';
}

/** The fields that approvers have changed since the message was held. */
export function editedSince(
  { edited }: Pick<LockedApproval, 'edited'>,
  fields: readonly EditableField[],
): readonly EditableField[] {
  return [...new Set([...edited, ...fields])];
}

/** Records an approval before the last one in the events of the hold and in the audit log, and announces it. */
export async function recordVote(
  transaction: Query,
  ids: IdGenerator,
  hold: LockedApproval,
  { decider, rules, note, fields, contentHash: hashAfter, passkey, now }: Voting,
  given: number,
): Promise<void> {
  const { accountId, id: targetId, messageId: emailId } = hold;
  const event = { hashAfter, now, ...decider };
  const edited = { hold, id: ids.next(now), type: 'edited' as const, detail: fields.join(', '), ...event };
  const after = { ...hold, contentHash: hashAfter };
  const voted = { hold: after, id: ids.next(now), type: 'voted' as const, detail: note, ...event };
  await addApprovalEvents(transaction, fields.length > 0 ? [edited, voted] : [voted]);
  await announceApprovals(transaction, ids, 'approval.voted', { accountId, approvalIds: [targetId] }, now);
  const details = {
    ...{ emailId, way: decider.way, approvals: `${given} of ${rules.count}` },
    ...(fields.length > 0 ? { edited: fields.join(', ') } : {}),
    ...(passkey === null ? {} : { passkey }),
  };
  const entry = {
    accountId,
    id: ids.next(now),
    action: 'approval.voted',
    actor: decider.actor,
    targetId,
    now,
  } as const;
  await appendAudit(transaction, [{ ...entry, details }]);
}
