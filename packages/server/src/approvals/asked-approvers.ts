import type { Approver, NoticedHold } from '../db/queries/approval-notices.ts';

/**
 * The approvers who are asked to decide a hold: those whom its keys name, and who have not approved it yet. If fewer than needed may decide
 * any more, all approvers are: they can reject it, or change the rules.
 */
export function askedApprovers(
  approvers: readonly Approver[],
  { approverIds, voterIds, approvalsNeeded }: Pick<NoticedHold, 'approverIds' | 'voterIds' | 'approvalsNeeded'>,
): readonly Approver[] {
  const named = approverIds === null ? approvers : approvers.filter(({ memberId }) => approverIds.includes(memberId));
  return named.length < approvalsNeeded ? approvers : named.filter(({ memberId }) => !voterIds.includes(memberId));
}
