import { findOperation } from '@postrider/core';
import { singleSendTool } from './single-send.ts';

export const sendEmailTool = singleSendTool(
  findOperation('emails.send'),
  'Accepted, not delivered yet. Do not send it again. Call wait_for_email with this id to learn the outcome.',
);
