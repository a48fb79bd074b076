import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { describeAccount } from './account-text.ts';

export const updateAccountTool = callingTool(findOperation('account.update'), { toText: describeAccount });
