import type { Approval } from '@postrider/core';
import type { PageRequest } from '../../page-request.ts';

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
