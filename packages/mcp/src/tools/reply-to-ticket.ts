import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { ticketParts } from './ticket-text.ts';

export const replyToTicketTool = callingTool(
  findOperation('tickets.reply'),
  ticketParts('Added to the thread. Do not add it again.'),
);
