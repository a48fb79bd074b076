import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { describeTemplate, draftNotes } from './template-text.ts';

export const getTemplateTool = callingTool(findOperation('templates.get'), {
  pagesBodies: true,
  structuredNotes: [UNTRUSTED_NOTE],
  toNotes: draftNotes,
  toText: describeTemplate,
});
