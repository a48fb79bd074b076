import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { describePage } from './page-text.ts';
import { requestRow } from './request-text.ts';

export const listRequestsTool = callingTool(findOperation('requests.list'), {
  structuredNotes: [UNTRUSTED_NOTE],
  toText: (page, untrusted) =>
    describePage(page, { rows: page.requests, noun: 'requests', describeRow: requestRow }, untrusted),
});
