import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

const NOT_SENT = 'It is not sent before then. Do not send it again.';

export const rescheduleEmailTool = callingTool(findOperation('emails.reschedule'), {
  structuredNotes: [NOT_SENT],
  toText: ({ id, status, scheduledAt }) => `${NOT_SENT}\nid: ${id}\nstatus: ${status}\nscheduledAt: ${scheduledAt}`,
});
