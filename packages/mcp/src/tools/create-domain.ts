import { findOperation } from '@postrider/core';
import { oneDomainTool } from './one-domain.ts';

export const createDomainTool = oneDomainTool(
  findOperation('domains.create'),
  'Have these records published exactly as they stand; call verify_domain afterwards.',
);
