import { findOperation, type RenderedTemplate } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { line } from './message-text.ts';
import { describeBodies } from './template-text.ts';

export const renderTemplateTool = callingTool(findOperation('templates.render'), {
  pagesBodies: true,
  structuredNotes: [UNTRUSTED_NOTE],
  toText: describeRendered,
});

function describeRendered(rendered: RenderedTemplate, untrusted: (text: string) => string): string {
  const { version, status, missing } = rendered;
  const state =
    missing.length === 0 && status === 'draft'
      ? 'No variable is missing. It is a draft: it cannot be sent until an approver publishes it.'
      : missing.length === 0
        ? 'No variable is missing: it can be sent with these variables.'
        : `Missing, a send would be refused: ${missing.join(', ')}`;
  return [
    `Rendered version ${version}; nothing was sent. ${state}`,
    untrusted([...line('Subject', rendered.subject), ...describeBodies(rendered)].join('\n')),
  ].join('\n');
}
