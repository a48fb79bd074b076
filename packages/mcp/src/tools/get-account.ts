import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { describeAccount } from './account-text.ts';

export const getAccountTool = callingTool(findOperation('account.get'), { toText: describeAccount });
