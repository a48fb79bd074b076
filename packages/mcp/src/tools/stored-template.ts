import { findOperation, type OperationById, type Template } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool, type ToolMaker } from '../tool.ts';
import { describeTemplate, draftNotes } from './template-text.ts';

export const createTemplateTool = storedTemplateTool(findOperation('templates.create'));
export const updateTemplateTool = storedTemplateTool(findOperation('templates.update'));
export const deleteTemplateTool = storedTemplateTool(findOperation('templates.delete'), 'Deleted. It was:');

/** A tool that changes one template and shows the result; `lead` describes the change if the record does not. */
function storedTemplateTool(
  operation: OperationById<'templates.create' | 'templates.update' | 'templates.delete'>,
  lead?: string,
): ToolMaker {
  const said = lead === undefined ? [] : [lead];
  return callingTool(operation, {
    bodyTool: 'get_template',
    structuredNotes: [...said, UNTRUSTED_NOTE],
    toNotes: draftNotes,
    toText: (template: Template, untrusted) => [...said, describeTemplate(template, untrusted)].join('\n'),
  });
}
