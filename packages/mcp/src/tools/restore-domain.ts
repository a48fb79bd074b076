import { findOperation } from '@postrider/core';
import { oneDomainTool } from './one-domain.ts';

export const restoreDomainTool = oneDomainTool(findOperation('domains.restore'));
