import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';

const DISCARDED = 'The draft was permanently deleted. Published versions are unchanged.';

export const discardTemplateDraftTool = callingTool(findOperation('templates.discard'), {
  // Its author knows the content; the bodies would only fill the result.
  toRecord: ({ changes, ...draft }) => ({ ...draft, changedParts: Object.keys(changes) }),
  structuredNotes: [UNTRUSTED_NOTE],
  toNotes: () => [DISCARDED],
  toText: ({ slug, version }) => `Discarded version ${version} of ${slug}.`,
});
