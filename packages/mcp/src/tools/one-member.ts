import { findOperation, type OperationById } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool, type ToolMaker } from '../tool.ts';
import { describeMember } from './member-text.ts';

export const inviteMemberTool = oneMemberTool(
  findOperation('team.invite'),
  'Invited: an invitation was mailed. The user joins by signing in with this address.',
);
export const updateMemberTool = oneMemberTool(
  findOperation('team.update'),
  'Changed. It takes effect within a second.',
);
export const removeMemberTool = oneMemberTool(findOperation('team.remove'), 'Removed member:');

type MemberOperation = OperationById<'team.invite' | 'team.update' | 'team.remove'>;

/** A tool that returns one member. */
function oneMemberTool(operation: MemberOperation, done: string): ToolMaker {
  return callingTool(operation, {
    structuredNotes: [UNTRUSTED_NOTE],
    toText: (member, untrusted) => [done, untrusted(describeMember(member))].join('\n'),
  });
}
