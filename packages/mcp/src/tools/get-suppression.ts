import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { suppressionRow } from './suppression-text.ts';

export const getSuppressionTool = callingTool(findOperation('suppressions.get'), {
  structuredNotes: [UNTRUSTED_NOTE],
  toText: (entry, untrusted) => `Suppressed: no send to it is accepted.\n${untrusted(suppressionRow(entry))}`,
});
