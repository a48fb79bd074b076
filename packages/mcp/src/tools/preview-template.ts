import { findOperation, type TemplatePreview } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { line } from './message-text.ts';
import { describeBodies, describeVariables } from './template-text.ts';

export const previewTemplateTool = callingTool(findOperation('templates.preview'), {
  pagesBodies: true,
  structuredNotes: [UNTRUSTED_NOTE],
  toText: describePreview,
});

function describePreview(preview: TemplatePreview, untrusted: (text: string) => string): string {
  const { variables, missing } = preview;
  return [
    `Rendered; nothing was stored or sent. ${missing.length === 0 ? 'No variable is missing.' : `Missing: ${missing.join(', ')}`}`,
    untrusted(
      [describeVariables(variables), ...line('Subject', preview.subject), ...describeBodies(preview)].join('\n'),
    ),
  ].join('\n');
}
