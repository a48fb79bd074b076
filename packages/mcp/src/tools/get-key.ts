import { findOperation } from '@postrider/core';
import { oneKeyTool } from './one-key.ts';

export const getKeyTool = oneKeyTool(findOperation('keys.get'));
