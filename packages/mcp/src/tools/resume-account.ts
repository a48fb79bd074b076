import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { describeAccount } from './account-text.ts';

export const resumeAccountTool = callingTool(findOperation('account.resume'), { toText: describeAccount });
