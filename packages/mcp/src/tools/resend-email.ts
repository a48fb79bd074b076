import { findOperation } from '@postrider/core';
import { singleSendTool } from './single-send.ts';

export const resendEmailTool = singleSendTool(
  findOperation('emails.resend'),
  'Accepted as a new message, not delivered yet. Do not send it again. Call wait_for_email with this id to learn the outcome.',
);
