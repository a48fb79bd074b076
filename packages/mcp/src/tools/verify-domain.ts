import { findOperation } from '@postrider/core';
import { oneDomainTool } from './one-domain.ts';

export const verifyDomainTool = oneDomainTool(
  findOperation('domains.verify'),
  'What was published a moment ago may not be seen yet. The server looks again by itself.',
);
