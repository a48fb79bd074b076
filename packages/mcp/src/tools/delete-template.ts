import { findOperation } from '@postrider/core';
import { storedTemplateTool } from './stored-template.ts';

export const deleteTemplateTool = storedTemplateTool(findOperation('templates.delete'), 'Deleted. It was:');
