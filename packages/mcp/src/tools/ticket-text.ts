import { findOperation, type Ticket } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { type CallParts, callingTool } from '../tool.ts';
import { toOneLine } from '../untrusted-text.ts';
import { section } from './message-text.ts';

export const getTicketTool = callingTool(findOperation('tickets.get'), { ...ticketParts(), pagesBodies: true });

export const createTicketTool = callingTool(
  findOperation('tickets.create'),
  ticketParts('Raised. Do not raise it again: the reply appears in the thread and is mailed to the requester.'),
);

export const replyToTicketTool = callingTool(
  findOperation('tickets.reply'),
  ticketParts('Added to the thread. Do not add it again.'),
);

/** The context of a ticket, as JSON; large values are shown as text, which can be cut. */
const CONTEXT_CHARACTERS_MAX = 4_000;

/** The context that the server attached: its shapes are known, and it is cut like any record. */
const ATTACHED: ReadonlySet<string> = new Set(['requestId', 'requestLog', 'emailId', 'emailTrail', 'withheld']);

const NEXT_STEP: Readonly<Record<Ticket['status'], string>> = {
  open: 'Waiting for a reply from support.',
  pending: 'Support has replied; waiting for the account.',
  solved: 'A reply opens it again.',
  closed: 'It accepts no more replies.',
};

/** Shows one ticket with its thread; `lead` says what the call did. */
function ticketParts(lead?: string) {
  const said = lead === undefined ? [] : [lead];
  return {
    toRecord: (ticket: Ticket) => ({ ...ticket, context: boundContext(ticket.context) }),
    bodyTool: 'get_ticket',
    structuredNotes: [...said, UNTRUSTED_NOTE],
    toText: (ticket: Ticket, untrusted) => [...said, describeTicket(ticket, untrusted)].join('\n'),
  } as const satisfies CallParts<Ticket, Ticket>;
}

function describeTicket(ticket: Ticket, untrusted: (text: string) => string): string {
  const { id, number, status, createdAt, subject, messages, context } = ticket;
  return [
    `Ticket ${number} (${id}), ${status}, raised ${createdAt}. ${NEXT_STEP[status]}`,
    untrusted(
      [
        `Subject: ${toOneLine(subject)}`,
        ...messages.map((message) => `${message.author} at ${message.createdAt}:\n${message.body}`),
        ...section('Stored when it was raised', Object.entries(context).map(contextRow)),
      ].join('\n'),
    ),
  ].join('\n');
}

function contextRow([name, value]: [string, unknown]): string {
  return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

function boundContext(context: Ticket['context']): Ticket['context'] {
  const entries = Object.entries(context);
  const given = JSON.stringify(Object.fromEntries(entries.filter(([name]) => !ATTACHED.has(name))));
  if (given.length <= CONTEXT_CHARACTERS_MAX) return context;
  return { ...Object.fromEntries(entries.filter(([name]) => ATTACHED.has(name))), asJson: given };
}
