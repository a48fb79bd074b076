import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';
import { ticketParts } from './ticket-text.ts';

export const getTicketTool = callingTool(findOperation('tickets.get'), { ...ticketParts(), pagesBodies: true });
