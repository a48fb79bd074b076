import { findOperation } from '@postrider/core';
import { oneMemberTool } from './one-member.ts';

export const updateMemberTool = oneMemberTool(findOperation('team.update'), 'Changed. It acts within a second.');
