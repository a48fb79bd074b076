import { hostname } from 'node:os';
import { TICKET_STATUS_NAMES, ticketBodySchema } from '@postrider/core';
import type { Command } from 'commander';
import { baseUrlOf } from '../base-url.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Sql } from '../db/client.ts';
import { type OperatorTicketRow, readOperatorTickets } from '../db/queries/support-tickets.ts';
import type { TicketReplyMailer } from '../support/mail-ticket-reply.ts';
import { closeTicket, type SupportReplyVerdict, sendSupportReply } from '../support/send-support-reply.ts';
import { toTicket } from '../support/ticket-record.ts';
import { createIdGenerator } from '../uuid-v7.ts';
import { OPERATOR } from '../visibility/viewer.ts';
import { type OperatorTools, response, withDatabase } from './operator-commands.ts';
import { StartError, UsageError } from './start-error.ts';
import { printableJson, printableLine, printableLines } from './terminal-text.ts';

interface Flags {
  readonly json?: boolean;
}

const LIST_DEFAULT = 100;
const LIST_MAX = 1_000;

/** The operator's commands for support tickets. */
export function addTicketCommands(program: Command, tools: OperatorTools): void {
  const tickets = program.command('tickets').description('list, read, reply to and close support tickets');
  tickets
    .command('list')
    .description('list the tickets of all accounts, newest first')
    .option('--status <status...>', `only tickets that are ${TICKET_STATUS_NAMES.join(', ')}`)
    .option('--limit <count>', 'maximum number of tickets', String(LIST_DEFAULT))
    .option('--json', 'print JSON')
    .action(async (options: Flags & { status?: string[]; limit: string }) => {
      const selection = { statuses: toStatuses(options.status), limit: toLimit(options.limit) };
      const rows = await withDatabase(tools, ({ sql }) => readOperatorTickets(sql, selection));
      const text = rows.map(toLine).join('\n') || 'There are no matching tickets.';
      write(tools, options, { tickets: rows.map(toOperatorTicket) }, text);
    });
  tickets
    .command('show <number>')
    .description('show a ticket: its thread, and the captured context')
    .option('--json', 'print JSON')
    .action(async (given: string, options: Flags) => {
      const number = toNumber(given);
      const row = await withDatabase(tools, ({ sql }) => requireTicket(sql, number));
      write(tools, options, toOperatorTicket(row), toSheet(row));
    });
  addReplyCommand(tickets, tools);
  tickets
    .command('close <number>')
    .description('close a ticket: it accepts no more replies')
    .option('--json', 'print JSON')
    .action(async (given: string, options: Flags) => {
      const number = toNumber(given);
      const row = await withDatabase(tools, async ({ sql }) => {
        await closeTicket({ sql }, number);
        return await requireTicket(sql, number);
      });
      write(tools, options, toOperatorTicket(row), `ticket ${number} is closed`);
    });
}

function addReplyCommand(tickets: Command, tools: OperatorTools): void {
  tickets
    .command('answer <number>')
    .description('reply to a ticket as `support`, in its thread and by mail to the requester')
    .requiredOption('--body <text>', 'the reply, plain text')
    .option('--solved', 'set the status to solved, until a reply opens the ticket again')
    .option('--no-mail', 'reply only in the thread')
    .option('--json', 'print JSON')
    .action(async (given: string, options: Flags & { body: string; solved?: boolean; mail: boolean }) => {
      const number = toNumber(given);
      const { body, mail: mails } = options;
      if (!ticketBodySchema.safeParse(body).success || body.includes('\0')) {
        throw new UsageError('--body is empty or too long.', 'Give 1 to 20,000 characters.');
      }
      const config = tools.readConfig();
      const status = options.solved === true ? 'solved' : 'pending';
      const { verdict, row } = await withDatabase(tools, async ({ sql }) => ({
        verdict: await sendSupportReply(toMailer(config, sql), { number, body, status, mails }),
        row: await requireTicket(sql, number),
      }));
      if (verdict.kind !== 'replied') throw toError(number, verdict);
      const { mail } = verdict;
      const delivery = mail === null ? 'without mail' : `and mailed to ${printableLine(mail.to)} (message ${mail.id})`;
      write(tools, options, { ...toOperatorTicket(row), mail }, `ticket ${number} was answered, ${delivery}`);
    });
}

/** Servers deliver the mail that an operator's command queues, with their own transport and base URL. */
function toMailer(config: Config, sql: Sql): TicketReplyMailer {
  const { sandboxDomain, retryHours, monthlyQuota, supportFrom, host, port } = config;
  return {
    ...{ sql, clock: systemClock, ids: createIdGenerator(), sandboxDomain, retryHours, monthlyQuota, supportFrom },
    // Operator commands need no secret key, and a ticket reply contains no signed links.
    secrets: null,
    byDomain: config.transport.kind === 'direct',
    baseUrl: config.baseUrl ?? baseUrlOf(host, port, hostname()),
  };
}

async function requireTicket(sql: Sql, number: number): Promise<OperatorTicketRow> {
  const [row] = await readOperatorTickets(sql, { number });
  if (row === undefined) throw unknownTicket(number);
  return row;
}

function toError(number: number, verdict: Exclude<SupportReplyVerdict, { readonly kind: 'replied' }>): StartError {
  switch (verdict.kind) {
    case 'unknown':
      return unknownTicket(number);
    case 'closed':
      return new StartError(`Ticket ${number} is closed.`, 'The account can create a new one.');
    case 'without-requester':
      return new StartError(`The account of ticket ${number} has no owner to write to.`, WITHOUT_MAIL);
    case 'unmailable': {
      const { detail, fix } = verdict.refusal;
      const reason = `The reply cannot be mailed to ${verdict.to}, so it was not saved: ${detail}`;
      return new StartError(
        printableLine(reason),
        `${fix === undefined ? '' : `${printableLine(fix)} Or: `}${WITHOUT_MAIL}`,
      );
    }
  }
}

const WITHOUT_MAIL = 'Reply only in the thread with --no-mail.';

function unknownTicket(number: number): StartError {
  return new StartError(`There is no ticket ${number}.`, 'List the tickets with `postrider-server tickets list`.');
}

function toNumber(given: string): number {
  if (/^#?\d{1,15}$/.test(given)) return Number(given.replace('#', ''));
  throw new UsageError(`"${printableLine(given)}" is not a ticket number.`, 'Give a number such as 12.');
}

function toLimit(given: string): number {
  const limit = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= LIST_MAX) return limit;
  throw new UsageError(`--limit must be a number from 1 to ${LIST_MAX}.`, `Leave it out for ${LIST_DEFAULT}.`);
}

function toStatuses(given: readonly string[] | undefined): readonly string[] {
  if (given === undefined) return TICKET_STATUS_NAMES;
  const unknown = given.filter((name) => !TICKET_STATUS_NAMES.some((status) => status === name));
  if (unknown.length === 0) return given;
  const names = unknown.map(printableLine).join(', ');
  throw new UsageError(`Unknown ticket status: ${names}.`, `Use ${TICKET_STATUS_NAMES.join(', ')}.`);
}

/** The operator sees the whole context and the account of the ticket. */
function toOperatorTicket(row: OperatorTicketRow) {
  const { accountId, accountName, keyId, keyName } = row;
  return { ...toTicket(row, OPERATOR), accountId, accountName, keyId, keyName };
}

function toLine(row: OperatorTicketRow): string {
  const { number, status, subject, accountName, messages, lastMessageAt } = row;
  const time = lastMessageAt.toISOString().slice(0, 16).replace('T', ' ');
  const words = `${printableLine(accountName)}: ${printableLine(subject)}`;
  return `${String(number).padStart(5)}  ${status.padEnd(7)}  ${time}  ${String(messages.length).padStart(3)} msg  ${words}`;
}

function toSheet(row: OperatorTicketRow): string {
  const ticket = toOperatorTicket(row);
  const head = [
    `ticket   ${ticket.number} (${ticket.status})   ${ticket.id}`,
    `subject  ${printableLine(ticket.subject)}`,
    `account  ${printableLine(ticket.accountName)}   ${ticket.accountId}`,
    `key      ${printableLine(ticket.keyName ?? '-')}   ${ticket.keyId}`,
  ];
  const thread = ticket.messages.flatMap(({ author, body, createdAt }) => [
    '',
    `${author}, ${createdAt}`,
    indent(body),
  ]);
  const context =
    Object.keys(ticket.context).length === 0 ? [] : ['', 'context', indent(JSON.stringify(ticket.context, null, 2))];
  return [...head, ...thread, ...context].join('\n');
}

function indent(text: string): string {
  return printableLines(text).trimEnd().replace(/^/gm, '  ');
}

function write(tools: OperatorTools, flags: Flags, data: unknown, text: string): void {
  if (flags.json === true) tools.write(`${printableJson(data)}\n`);
  else response(tools, flags, data, text);
}
