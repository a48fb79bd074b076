import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { describeMember } from './member-text.ts';

export const listTeamTool = callingTool(findOperation('team.list'), {
  structuredNotes: [UNTRUSTED_NOTE],
  toText: ({ members, seats }, untrusted) =>
    [
      `${seats.used} of ${seats.limit} seats are taken`,
      untrusted(members.map((member) => `- ${describeMember(member)}`).join('\n')),
    ].join('\n'),
});
