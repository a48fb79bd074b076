import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { domainRow, summarizeDomain } from './domain-text.ts';
import { describePage } from './page-text.ts';

const RECORDS_NOTE = 'The rows have no DKIM records: read one domain with get_domain.';

export const listRemovedDomainsTool = callingTool(findOperation('domains.history'), {
  toRecord: (page) => ({
    ...page,
    domains: page.domains.map((domain) => ({ ...summarizeDomain(domain), faults: null })),
  }),
  structuredNotes: [RECORDS_NOTE],
  toText: (page, untrusted) =>
    [
      describePage(page, { rows: page.domains, noun: 'removed domains', describeRow: domainRow }, untrusted),
      RECORDS_NOTE,
    ].join('\n'),
});
