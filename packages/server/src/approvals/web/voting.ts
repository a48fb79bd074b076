import type { Approval } from '@postrider/core';
import { listMembers } from '../../db/queries/members.ts';
import type { FoundHold } from './link-hold.ts';
import type { Voting } from './view/shown-hold.ts';
import { YOU } from './view/voting-words.ts';

/** One person is enough, and anyone whose role decides is one. */
export const NO_VOTING: Voting = { voters: [], approvers: null, hasVoted: false, mayApprove: true };

/** Who has approved a hold, and who can, with the names that the viewer may read. */
export function toVoting(
  { votes, approvers: { memberIds, count } }: Approval,
  viewerId: string,
  members: readonly { readonly id: string; readonly name: string | null; readonly email: string }[],
): Voting {
  const nameOf = (id: string) => {
    const member = members.find((other) => other.id === id);
    return member === undefined ? null : (member.name ?? member.email);
  };
  return {
    voters: votes.map(({ memberId }) => (memberId === viewerId ? YOU : (nameOf(memberId) ?? 'A former member'))),
    approvers: memberIds?.flatMap((id) => (id === viewerId ? ['you'] : (nameOf(id) ?? []))) ?? null,
    // With enough approvals, because fewer are needed by now, any of them sends it.
    hasVoted: votes.length < count && votes.some(({ memberId }) => memberId === viewerId),
    mayApprove: memberIds?.includes(viewerId) ?? true,
  };
}

/** Who has approved a hold and who can, for the page of a link. */
export async function readVotingOfLink({ own, link, approval }: FoundHold): Promise<Voting> {
  const { votes, approvers } = approval;
  const { memberId } = link;
  if (votes.length === 0 && approvers.memberIds === null) return NO_VOTING;
  return toVoting(approval, memberId, await listMembers(own.database.sql, link.accountId));
}
