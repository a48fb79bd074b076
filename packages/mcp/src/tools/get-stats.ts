import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { describeStats } from './stats-text.ts';

/** The blocks that only some calls ask for are left out of the output schema, which is open to them: every connection pays for it. */
export const getStatsTool = callingTool(findOperation('account.stats'), {
  shows: ['sent', 'delivered', 'bounced', 'complained', 'deliveryRate', 'bounceRate', 'complaintRate'],
  structuredNotes: [UNTRUSTED_NOTE],
  toText: describeStats,
});
