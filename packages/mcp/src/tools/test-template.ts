import { findOperation } from '@postrider/core';
import { singleSendTool } from './single-send.ts';

export const testTemplateTool = singleSendTool(
  findOperation('templates.test'),
  'Accepted, not delivered yet. It goes to your own inbox. Call wait_for_email with this id to learn the outcome.',
);
