import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { describeStats } from './stats-text.ts';

/** Optional blocks are omitted from the output schema, which allows them: every connection pays for it. */
export const getStatsTool = callingTool(findOperation('account.stats'), {
  shows: ['sent', 'delivered', 'bounced', 'complained', 'deliveryRate', 'bounceRate', 'complaintRate'],
  structuredNotes: [UNTRUSTED_NOTE],
  toText: describeStats,
});
