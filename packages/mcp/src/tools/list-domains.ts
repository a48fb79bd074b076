import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { domainRow, summarizeDomain } from './domain-text.ts';
import { describePage } from './page-text.ts';

export const listDomainsTool = callingTool(findOperation('domains.list'), {
  toRecord: (page) => ({ ...page, domains: page.domains.map(summarizeDomain) }),
  toText: (page, untrusted) =>
    describePage(page, { rows: page.domains, noun: 'sending domains', describeRow: domainRow }, untrusted),
});
