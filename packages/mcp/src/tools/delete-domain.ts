import { findOperation } from '@postrider/core';
import { oneDomainTool } from './one-domain.ts';

export const deleteDomainTool = oneDomainTool(findOperation('domains.delete'));
