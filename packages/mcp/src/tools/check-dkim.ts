import { findOperation } from '@postrider/core';
import { checkTool } from './free-check.ts';

export const checkDkimTool = checkTool(findOperation('tools.dkim'));
