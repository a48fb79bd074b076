import { findOperation } from '@postrider/core';
import { oneMemberTool } from './one-member.ts';

export const removeMemberTool = oneMemberTool(findOperation('team.remove'), 'Removed, as they were:');
