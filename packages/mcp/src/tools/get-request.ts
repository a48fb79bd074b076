import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { requestRow } from './request-text.ts';

export const getRequestTool = callingTool(findOperation('requests.get'), {
  structuredNotes: [UNTRUSTED_NOTE],
  toText: (request, untrusted) => untrusted(requestRow(request)),
});
