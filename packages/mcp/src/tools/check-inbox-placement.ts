import { findOperation } from '@postrider/core';
import { checkTool } from './free-check.ts';

export const checkInboxPlacementTool = checkTool(findOperation('tools.inbox-placement'));
