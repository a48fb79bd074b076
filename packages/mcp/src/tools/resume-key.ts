import { findOperation } from '@postrider/core';
import { oneKeyTool } from './one-key.ts';

export const resumeKeyTool = oneKeyTool(findOperation('keys.resume'));
