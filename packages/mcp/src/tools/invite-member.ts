import { findOperation } from '@postrider/core';
import { oneMemberTool } from './one-member.ts';

export const inviteMemberTool = oneMemberTool(
  findOperation('team.invite'),
  'Invited: the address was mailed, and has joined once it signs in.',
);
