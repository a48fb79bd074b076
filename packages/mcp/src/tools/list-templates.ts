import { findOperation, type Template } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { toOneLine } from '../untrusted-text.ts';
import { describePage } from './page-text.ts';
import { describeVariables } from './template-text.ts';

const BODIES_NOTE = 'The rows have no bodies and versions: read one with get_template.';

export const listTemplatesTool = callingTool(findOperation('templates.list'), {
  toRecord: (page) => ({ ...page, templates: page.templates.map(toRow) }),
  structuredNotes: [UNTRUSTED_NOTE, BODIES_NOTE],
  toText: (page, untrusted) => describePage(page, { rows: page.templates, noun: 'templates', describeRow }, untrusted),
});

/** A row is for finding a template and its variables. */
function toRow(template: Template): Template {
  return { ...template, html: null, text: null, versions: [] };
}

function describeRow({ slug, name, subject, currentVersion, variables }: Template): string {
  const place = currentVersion === null ? 'draft, cannot be sent yet' : `version ${currentVersion}`;
  const parts = [`${slug} (${place})`, name, subject ?? 'no subject', describeVariables(variables)];
  return `- ${toOneLine(parts.join(' | '))}`;
}
