import { findOperation } from '@postrider/core';
import { checkTool } from './free-check.ts';

export const checkDmarcTool = checkTool(findOperation('tools.dmarc'));
