import { findOperation, type TemplateDraft } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { toOneLine } from '../untrusted-text.ts';
import { describePage } from './page-text.ts';

const NOTE = 'Only approvers publish drafts. The rows have no contents: read one with get_template and `version`.';

export const listTemplateDraftsTool = callingTool(findOperation('templates.drafts'), {
  toRecord: (page) => ({ ...page, drafts: page.drafts.map(toRow) }),
  structuredNotes: [UNTRUSTED_NOTE],
  toNotes: () => [NOTE],
  toText: (page, untrusted) => describePage(page, { rows: page.drafts, noun: 'drafts', describeRow }, untrusted),
});

/** The bodies of one draft can fill a result. */
function toRow({ changes, ...draft }: TemplateDraft) {
  return { ...draft, changedParts: Object.keys(changes) };
}

function describeRow({
  slug,
  version,
  name,
  createdAt,
  currentVersion,
  changedParts,
}: ReturnType<typeof toRow>): string {
  const replaces = currentVersion === null ? 'a new template' : `replaces version ${currentVersion}`;
  const parts = [`${slug}, version ${version}`, name, replaces, `changes ${changedParts.join(', ')}`, createdAt];
  return `- ${toOneLine(parts.join(' | '))}`;
}
