import type { Approval } from '@postrider/core';
import type { Voting } from '../../../../approvals/web/view/shown-hold.ts';
import { NO_VOTING, toVoting } from '../../../../approvals/web/voting.ts';
import type { PageRequest } from '../../page-request.ts';

/** Who has approved a hold and who can, where several people must approve or the key names its approvers. */
export async function readVoting(request: PageRequest, approval: Approval): Promise<Voting> {
  if (approval.votes.length === 0 && approval.approvers.memberIds === null) return NO_VOTING;
  const team = await request.attempt('team.list');
  return toVoting(approval, request.caller.user.memberId, team.ok ? team.body.members : []);
}

/** Who decided: a member, or a key by its name if the role may read keys. Null for a rule, or while nobody has. */
export async function readDecider(
  request: PageRequest,
  { decidedBy }: Pick<Approval, 'decidedBy'>,
): Promise<string | null> {
  if (decidedBy === null || decidedBy === 'system') return null;
  if (decidedBy === request.caller.user.memberId) return 'You';
  const team = await request.attempt('team.list');
  const member = team.ok ? team.body.members.find(({ id }) => id === decidedBy) : undefined;
  if (member !== undefined) return member.name ?? member.email;
  const key = request.may('keys.get') ? await request.attempt('keys.get', { params: { id: decidedBy } }) : null;
  return key?.ok === true ? `The key ${key.body.name}` : 'An API key';
}
