import type { Query } from '../../db/client.ts';
import { listMembers } from '../../db/queries/members.ts';
import type { FoundHold } from './link-hold.ts';
import type { Voting } from './view/shown-hold.ts';
import { NO_VOTING, toVoting } from './voting.ts';

/** Who has approved a hold and who can, for the page of a link. */
export async function readVotingOfLink({ own, link, approval }: FoundHold): Promise<Voting> {
  const { votes, approvers } = approval;
  const { memberId } = link;
  if (votes.length === 0 && approvers.memberIds === null) return NO_VOTING;
  return toVoting(approval, memberId, await listMembers(own.database.sql, link.accountId));
}

/** Who decided, for the page of a link: a member, or else a key. Null for a rule. */
export async function readDeciderName(sql: Query, accountId: string, decidedBy: string | null): Promise<string | null> {
  if (decidedBy === null || decidedBy === 'system') return null;
  const member = (await listMembers(sql, accountId)).find(({ id }) => id === decidedBy);
  return member === undefined ? 'An API key' : (member.name ?? member.email);
}
