import { findOperation } from '@postrider/core';
import { oneKeyTool } from './one-key.ts';

export const pauseKeyTool = oneKeyTool(findOperation('keys.pause'));
