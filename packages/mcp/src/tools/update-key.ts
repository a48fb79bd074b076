import { findOperation } from '@postrider/core';
import { oneKeyTool } from './one-key.ts';

export const updateKeyTool = oneKeyTool(findOperation('keys.update'));
