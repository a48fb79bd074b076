import { findOperation } from '@postrider/core';
import { oneDomainTool } from './one-domain.ts';

export const rotateDomainKeyTool = oneDomainTool(
  findOperation('domains.rotate'),
  'Publish the new DKIM record and leave the old one: the server changes over once it finds the new one.',
);
