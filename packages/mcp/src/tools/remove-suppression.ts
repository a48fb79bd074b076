import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { suppressionRow } from './suppression-text.ts';

const REMOVED = 'Removed: it can be sent to again.';

export const removeSuppressionTool = callingTool(findOperation('suppressions.delete'), {
  structuredNotes: [REMOVED, UNTRUSTED_NOTE],
  toText: (entry, untrusted) => `${REMOVED} It was:\n${untrusted(suppressionRow(entry))}`,
});
