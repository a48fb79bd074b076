import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { describePage } from './page-text.ts';
import { suppressionRow } from './suppression-text.ts';

export const listSuppressionsTool = callingTool(findOperation('suppressions.list'), {
  structuredNotes: [UNTRUSTED_NOTE],
  toText: (page, untrusted) =>
    describePage(
      page,
      { rows: page.suppressions, noun: 'suppressed addresses', describeRow: suppressionRow },
      untrusted,
    ),
});
