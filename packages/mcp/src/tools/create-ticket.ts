import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { ticketParts } from './ticket-text.ts';

export const createTicketTool = callingTool(
  findOperation('tickets.create'),
  ticketParts('Raised. Do not raise it again: the answer appears in the thread and is mailed to the requester.'),
);
