import { findOperation } from '@postrider/core';
import { checkTool } from './free-check.ts';

export const checkSpfTool = checkTool(findOperation('tools.spf'));
