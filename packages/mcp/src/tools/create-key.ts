import { findOperation } from '@postrider/core';
import { secretKeyTool } from './secret-key.ts';

export const createKeyTool = secretKeyTool(findOperation('keys.create'));
