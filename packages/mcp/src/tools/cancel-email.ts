import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

const CANCELED = 'Canceled: no copy is sent, and its content is removed.';

export const cancelEmailTool = callingTool(findOperation('emails.cancel'), {
  structuredNotes: [CANCELED],
  toText: ({ id, status }) => `${CANCELED}\nid: ${id}\nstatus: ${status}`,
});
