import { findOperation } from '@postrider/core';
import { checkTool } from './free-check.ts';

export const checkMxTool = checkTool(findOperation('tools.mx'));
