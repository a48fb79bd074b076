import { findOperation } from '@postrider/core';
import { oneDomainTool } from './one-domain.ts';

export const getDomainTool = oneDomainTool(findOperation('domains.get'));
