import { findOperation } from '@postrider/core';
import { checkTool } from './free-check.ts';

export const checkBlocklistTool = checkTool(findOperation('tools.blocklist'));
