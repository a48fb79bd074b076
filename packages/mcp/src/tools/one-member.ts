import type { OperationById } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool, type ToolMaker } from '../tool.ts';
import { describeMember } from './member-text.ts';

type MemberOperation = OperationById<'team.invite' | 'team.update' | 'team.remove'>;

/** A tool that answers one member. */
export function oneMemberTool(operation: MemberOperation, done: string): ToolMaker {
  return callingTool(operation, {
    structuredNotes: [UNTRUSTED_NOTE],
    toText: (member, untrusted) => [done, untrusted(describeMember(member))].join('\n'),
  });
}
