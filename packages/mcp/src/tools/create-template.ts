import { findOperation } from '@postrider/core';
import { storedTemplateTool } from './stored-template.ts';

export const createTemplateTool = storedTemplateTool(findOperation('templates.create'));
