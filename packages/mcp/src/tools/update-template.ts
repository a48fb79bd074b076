import { findOperation } from '@postrider/core';
import { storedTemplateTool } from './stored-template.ts';

export const updateTemplateTool = storedTemplateTool(findOperation('templates.update'));
