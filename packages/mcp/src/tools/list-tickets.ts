import { findOperation, type Ticket } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { toOneLine } from '../untrusted-text.ts';
import { describePage } from './page-text.ts';

const THREADS_NOTE = 'The rows have no threads: read one with get_ticket.';

export const listTicketsTool = callingTool(findOperation('tickets.list'), {
  toRecord: (page) => ({ ...page, tickets: page.tickets.map(toRow) }),
  structuredNotes: [UNTRUSTED_NOTE, THREADS_NOTE],
  toText: (page, untrusted) =>
    [describePage(page, { rows: page.tickets, noun: 'tickets', describeRow }, untrusted), THREADS_NOTE].join('\n'),
});

/** A row is for finding a ticket: one thread alone can be larger than a result may be. */
function toRow({ messages, context: _context, ...ticket }: Ticket) {
  const last = messages.at(-1);
  return {
    ...ticket,
    messageCount: messages.length,
    lastAuthor: last?.author ?? null,
    lastMessageAt: last?.createdAt ?? null,
  };
}

function describeRow(row: ReturnType<typeof toRow>): string {
  const { number, status, id, createdAt, messageCount, lastAuthor, lastMessageAt, subject } = row;
  const parts = [
    `${number} ${status}`,
    id,
    `raised ${createdAt}`,
    `${messageCount} messages${lastAuthor === null ? '' : `, the last by ${lastAuthor} at ${lastMessageAt}`}`,
    subject,
  ];
  return `- ${toOneLine(parts.join(' | '))}`;
}
