import type { TicketStatus } from '@postrider/core';
import { builder, named } from '../builder.ts';
import { asCount, countUpTo } from '../capped-count.ts';
import type { Query, Transaction } from '../client.ts';
import { and, desc, eq, lt, sql } from '../drizzle.ts';
import { executing } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { apiKeys } from '../schema/keys.ts';
import { supportMessages, supportTickets } from '../schema/support.ts';
import { defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';

interface TicketMessage {
  readonly author: typeof supportMessages.$inferSelect.author;
  readonly body: string;
  readonly createdAt: string;
}

/** Fields of the message that a ticket is about, as it is stored now. */
interface EmailOwner {
  readonly keyId: string;
  readonly blind: readonly string[];
}

const { accountId, id, status, subject, keyId, context, requestId, requestLog, emailId, emailTrail, createdAt } =
  supportTickets;
const number = sql<number>`${supportTickets.number}::float8`;

const ticketColumns = {
  ...{ accountId, id, number, status, subject, keyId, context, requestId, requestLog, emailId, emailTrail },
  /** Null if the message is not stored. */
  emailOwner: sql<EmailOwner | null>`(
    SELECT json_build_object('keyId', m.key_id, 'blind', ARRAY(SELECT r.email FROM message_recipients r
      WHERE r.account_id = m.account_id AND r.message_id = m.id AND r.kind = 'bcc'))
    FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${emailId})`,
  createdAt,
  messages: sql<readonly TicketMessage[]>`(
    SELECT json_agg(json_build_object('author', m.author, 'body', m.body, 'createdAt', m.created_at) ORDER BY m.seq)
    FROM support_messages m WHERE m.account_id = ${accountId} AND m.ticket_id = ${id})`,
};

const insert = defineStatement(
  {
    ...{ accountId, id, subject, keyId, context: value<string>(), requestId, requestLog: value<string | null>() },
    ...{ emailId, emailTrail: value<string | null>(), createdAt, body: supportMessages.body },
  },
  (ticket) =>
    executing(sql`
      WITH raised AS (
        INSERT INTO support_tickets (account_id, id, status, subject, key_id, context, request_id, request_log, email_id, email_trail,
          created_at)
        VALUES (${ticket.accountId}, ${ticket.id}, 'open', ${ticket.subject}, ${ticket.keyId}, ${ticket.context}::text::json,
          ${ticket.requestId}, ${ticket.requestLog}::text::json, ${ticket.emailId}, ${ticket.emailTrail}::text::json,
          ${ticket.createdAt}))
      INSERT INTO support_messages (account_id, ticket_id, seq, author, key_id, body, created_at)
      VALUES (${ticket.accountId}, ${ticket.id}, 1, 'customer', ${ticket.keyId}, ${ticket.body}, ${ticket.createdAt})`),
);

type NewTicket = Readonly<Omit<typeof supportTickets.$inferSelect, 'number' | 'status'>> & { readonly body: string };

/** Creates a ticket with its first message. */
export async function insertTicket(query: Query, ticket: NewTicket): Promise<void> {
  const toJson = (record: NewTicket['requestLog']) => (record === null ? null : JSON.stringify(record));
  const [log, email] = [toJson(ticket.requestLog), toJson(ticket.emailTrail)];
  await insert(query, { ...ticket, context: JSON.stringify(ticket.context), requestLog: log, emailTrail: email });
}

const addMessage = defineStatement(
  {
    ...{ accountId, ticketId: id, author: supportMessages.author, keyId: supportMessages.keyId },
    ...{ body: supportMessages.body, mailedTo: supportMessages.mailedTo, status, now: supportMessages.createdAt },
  },
  (message) =>
    executing(sql`
      WITH moved AS (
        UPDATE support_tickets SET status = ${message.status} WHERE account_id = ${message.accountId} AND id = ${message.ticketId})
      INSERT INTO support_messages (account_id, ticket_id, seq, author, key_id, body, mailed_to, created_at)
      SELECT ${message.accountId}::uuid, ${message.ticketId}::uuid, coalesce(max(seq), 0) + 1, ${message.author}, ${message.keyId}::uuid,
        ${message.body}, ${message.mailedTo}, ${message.now}::timestamptz
      FROM support_messages WHERE account_id = ${message.accountId} AND ticket_id = ${message.ticketId}`),
);

/**
 * Appends a message to the thread of a ticket that this transaction has locked. `keyId`: the author of a customer's message; `mailedTo`:
 * the address that support's message is also mailed to; `status`: the ticket's new status.
 */
export async function addTicketMessage(
  transaction: Transaction,
  message: Parameters<typeof addMessage>[1],
): Promise<void> {
  await addMessage(transaction, message);
}

const setStatus = defineStatement({ accountId, id, status }, (given) =>
  builder
    .update(supportTickets)
    .set({ status: given.status })
    .where(and(eq(accountId, given.accountId), eq(id, given.id))),
);

export async function setTicketStatus(
  query: Query,
  account: string,
  ticket: string,
  present: TicketStatus,
): Promise<void> {
  await setStatus(query, { accountId: account, id: ticket, status: present });
}

/** Identifies a ticket by its id or its number. */
export type TicketName = { readonly id: string } | { readonly number: number };

const NAMING = { id: optional(id), number: optional(value<number>()) };

/** Exactly one of the two is set. */
function namingOf(name: TicketName) {
  return 'id' in name ? { id: name.id, number: null } : { id: null, number: name.number };
}

function isNamed(given: GivenOf<typeof NAMING>) {
  return and(given.id && eq(id, given.id), given.number && eq(supportTickets.number, given.number));
}

const read = defineStatement({ accountId, ...NAMING }, (given) =>
  builder
    .select(named(ticketColumns))
    .from(supportTickets)
    .where(and(eq(accountId, given.accountId), isNamed(given))),
);

export type TicketRow = RowOf<typeof read>;

/** One ticket of the account; null if it has none with that id or number. */
export async function readTicket(query: Query, account: string, name: TicketName): Promise<TicketRow | null> {
  const [row] = await read(query, { accountId: account, ...namingOf(name) });
  return row ?? null;
}

const lock = defineStatement({ accountId: optional(accountId), ...NAMING }, (given) =>
  builder
    .select(named({ accountId, id, number, status, subject, keyId }))
    .from(supportTickets)
    .where(and(given.accountId && eq(accountId, given.accountId), isNamed(given)))
    .for('update'),
);

const measure = defineStatement({ accountId, id }, (given) =>
  builder
    .select(
      named({
        messages: sql<number>`count(*)::int`,
        /** Of all messages together. */
        characters: sql<number>`coalesce(sum(length(${supportMessages.body})), 0)::int`,
      }),
    )
    .from(supportMessages)
    .where(and(eq(supportMessages.accountId, given.accountId), eq(supportMessages.ticketId, given.id))),
);

/** A ticket and the length of its thread. */
export type TicketState = RowOf<typeof lock> & RowOf<typeof measure>;

/**
 * The state of a thread, locked until the end of the transaction, so that replies are added one after the other.
 * @param account null for any account, as the operator sees it.
 */
export async function lockTicket(
  transaction: Transaction,
  account: string | null,
  name: TicketName,
): Promise<TicketState | null> {
  const [ticket] = await lock(transaction, { accountId: account, ...namingOf(name) });
  if (ticket === undefined) return null;
  const [thread = { messages: 0, characters: 0 }] = await measure(transaction, ticket);
  return { ...ticket, ...thread };
}

const FILTER = { accountId, status: optional(status) };

function matches(given: GivenOf<typeof FILTER>) {
  return and(eq(accountId, given.accountId), given.status && eq(status, given.status));
}

/** One page of the account's tickets, newest first. */
export const listTickets = defineStatement(
  { ...FILTER, before: optional(id), limit: value<number>() },
  ({ before, limit, ...filter }) =>
    builder
      .select(named(ticketColumns))
      .from(supportTickets)
      .where(and(matches(filter), before && lt(id, before)))
      .orderBy(desc(id))
      .limit(limit),
);

/** Counts matches, but never past `cap`. */
export const countTickets = asCount(
  defineStatement({ ...FILTER, cap: value<number>() }, ({ cap, ...filter }) =>
    countUpTo(cap, sql`SELECT FROM ${supportTickets} WHERE ${matches(filter)}`),
  ),
);

const readAny = defineStatement(
  { number: optional(value<number>()), statuses: optional(value<readonly string[]>()), limit: value<number>() },
  (given) => {
    const keyName = builder
      .select({ name: apiKeys.name })
      .from(apiKeys)
      .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId)));
    const lastMessageAt = builder
      .select({ at: sql`max(${supportMessages.createdAt})` })
      .from(supportMessages)
      .where(and(eq(supportMessages.accountId, accountId), eq(supportMessages.ticketId, id)));
    const fields = named({
      ...{ ...ticketColumns, accountName: accounts.name, keyName: sql<string | null>`${keyName}` },
      lastMessageAt: sql<Date>`${lastMessageAt}`,
    });
    const isNumbered = given.number && eq(supportTickets.number, given.number);
    const hasStatus = given.statuses && sql`${status} = ANY (${given.statuses}::text[])`;
    return builder
      .select(fields)
      .from(supportTickets)
      .innerJoin(accounts, eq(accounts.id, accountId))
      .where(and(isNumbered, hasStatus))
      .orderBy(desc(supportTickets.number))
      .limit(given.limit);
  },
);

export type OperatorTicketRow = RowOf<typeof readAny>;

/** Tickets of all accounts as the operator sees them, newest first: those with these statuses, or one by its number. */
export async function readOperatorTickets(
  query: Query,
  selection: { readonly statuses: readonly string[]; readonly limit: number } | { readonly number: number },
): Promise<readonly OperatorTicketRow[]> {
  return 'number' in selection
    ? await readAny(query, { number: selection.number, statuses: null, limit: 1 })
    : await readAny(query, { ...selection, number: null });
}
