import { findOperation } from '@postrider/core';
import { oneKeyTool } from './one-key.ts';

export const revokeKeyTool = oneKeyTool(findOperation('keys.revoke'));
