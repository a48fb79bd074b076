import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { domainRow, summarizeDomain } from './domain-text.ts';
import { describePage } from './page-text.ts';

const RECORDS_NOTE = 'Their DKIM records are left out of the rows: read one with get_domain.';

export const listRemovedDomainsTool = callingTool(findOperation('domains.history'), {
  toRecord: (page) => ({
    ...page,
    domains: page.domains.map((domain) => ({ ...summarizeDomain(domain), amiss: null })),
  }),
  structuredNotes: [RECORDS_NOTE],
  toText: (page, untrusted) =>
    [
      describePage(page, { rows: page.domains, noun: 'removed domains', describeRow: domainRow }, untrusted),
      RECORDS_NOTE,
    ].join('\n'),
});
