import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { describeAccount } from './account-text.ts';

export const pauseAccountTool = callingTool(findOperation('account.pause'), { toText: describeAccount });
