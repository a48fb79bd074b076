import { findOperation } from '@postrider/core';
import { secretKeyTool } from './secret-key.ts';

export const rotateKeyTool = secretKeyTool(findOperation('keys.rotate'));
