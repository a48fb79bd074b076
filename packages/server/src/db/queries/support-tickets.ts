import type { Query, Transaction } from '../client.ts';

interface TicketMessageRow {
  readonly author: string;
  readonly body: string;
  readonly createdAt: string;
}

export interface TicketRow {
  readonly accountId: string;
  readonly id: string;
  readonly number: number;
  readonly status: string;
  readonly subject: string;
  readonly keyId: string;
  readonly context: Record<string, unknown>;
  readonly requestId: string | null;
  readonly requestLog: Record<string, unknown> | null;
  readonly emailId: string | null;
  readonly emailTrail: Record<string, unknown> | null;
  /** Of the message, as it is stored now; null where it is not. */
  readonly emailOwner: { readonly keyId: string; readonly blind: readonly string[] } | null;
  readonly createdAt: Date;
  readonly messages: TicketMessageRow[];
}

interface NewTicketRow extends Omit<TicketRow, 'number' | 'status' | 'messages' | 'emailOwner'> {
  readonly body: string;
}

/** Raises a ticket with its first message. */
export async function insertTicket(query: Query, ticket: NewTicketRow): Promise<void> {
  const toJson = (value: unknown) => (value === null ? null : JSON.stringify(value));
  await query`
    WITH raised AS (
      INSERT INTO support_tickets (account_id, id, status, subject, key_id, context, request_id, request_log, email_id, email_trail,
        created_at)
      VALUES (${ticket.accountId}, ${ticket.id}, 'open', ${ticket.subject}, ${ticket.keyId}, ${toJson(ticket.context)}::text::json,
        ${ticket.requestId}, ${toJson(ticket.requestLog)}::text::json, ${ticket.emailId}, ${toJson(ticket.emailTrail)}::text::json,
        ${ticket.createdAt}))
    INSERT INTO support_messages (account_id, ticket_id, seq, author, key_id, body, created_at)
    VALUES (${ticket.accountId}, ${ticket.id}, 1, 'customer', ${ticket.keyId}, ${ticket.body}, ${ticket.createdAt})`;
}

interface NewTicketMessage {
  readonly accountId: string;
  readonly ticketId: string;
  readonly author: 'customer' | 'support';
  /** Who wrote a customer's message. */
  readonly keyId: string | null;
  readonly body: string;
  /** Whom support's message goes to by mail as well. */
  readonly mailedTo: string | null;
  /** How the ticket stands from then on. */
  readonly status: string;
  readonly now: Date;
}

/** Adds a message to the end of a thread whose ticket this transaction has locked. */
export async function addTicketMessage(transaction: Transaction, message: NewTicketMessage): Promise<void> {
  const { accountId, ticketId, author, keyId, body, mailedTo, status, now } = message;
  await transaction`
    WITH moved AS (
      UPDATE support_tickets SET status = ${status} WHERE account_id = ${accountId} AND id = ${ticketId})
    INSERT INTO support_messages (account_id, ticket_id, seq, author, key_id, body, mailed_to, created_at)
    SELECT ${accountId}, ${ticketId}, coalesce(max(seq), 0) + 1, ${author}, ${keyId}, ${body}, ${mailedTo}, ${now}::timestamptz
    FROM support_messages WHERE account_id = ${accountId} AND ticket_id = ${ticketId}`;
}

export async function setTicketStatus(query: Query, accountId: string, id: string, status: string): Promise<void> {
  await query`UPDATE support_tickets SET status = ${status} WHERE account_id = ${accountId} AND id = ${id}`;
}

/** How a ticket is named: by its id or by its number. */
export type TicketName = { readonly id: string } | { readonly number: number };

/** One ticket of the account; null where it has none of that name. */
export async function readTicket(query: Query, accountId: string, name: TicketName): Promise<TicketRow | null> {
  const [row] = await query<TicketRow[]>`
    SELECT ${columns(query)} FROM support_tickets t WHERE t.account_id = ${accountId} AND ${named(query, name)}`;
  return row ?? null;
}

export interface TicketState {
  readonly accountId: string;
  readonly id: string;
  readonly number: number;
  readonly status: string;
  readonly subject: string;
  readonly keyId: string;
  readonly messages: number;
  /** Of all messages together. */
  readonly characters: number;
}

/**
 * How a thread stands, locked until the end of the transaction: replies to it come one after the other.
 * @param accountId null for whoever it belongs to, as the operator sees it.
 */
export async function lockTicket(
  transaction: Transaction,
  accountId: string | null,
  name: TicketName,
): Promise<TicketState | null> {
  const [ticket] = await transaction<Omit<TicketState, 'messages' | 'characters'>[]>`
    SELECT t.account_id AS "accountId", t.id, t.number::float8 AS number, t.status, t.subject, t.key_id AS "keyId" FROM support_tickets t
    WHERE ${accountId === null ? transaction`` : transaction`t.account_id = ${accountId} AND`} ${named(transaction, name)} FOR UPDATE`;
  if (ticket === undefined) return null;
  const [thread] = await transaction<{ messages: number; characters: number }[]>`
    SELECT count(*)::int AS messages, coalesce(sum(length(body)), 0)::int AS characters FROM support_messages
    WHERE account_id = ${ticket.accountId} AND ticket_id = ${ticket.id}`;
  return { ...ticket, messages: thread?.messages ?? 0, characters: thread?.characters ?? 0 };
}

interface TicketFilter {
  readonly accountId: string;
  readonly status: string | null;
}

/** One page of the account's tickets, newest first. */
export async function listTickets(
  query: Query,
  filter: TicketFilter & { readonly before: string | null; readonly limit: number },
): Promise<readonly TicketRow[]> {
  return await query<TicketRow[]>`
    SELECT ${columns(query)} FROM support_tickets t WHERE ${matches(query, filter)}
      ${filter.before === null ? query`` : query`AND t.id < ${filter.before}`}
    ORDER BY t.id DESC LIMIT ${filter.limit}`;
}

/** Counts matches, but never past `cap`. */
export async function countTickets(query: Query, filter: TicketFilter & { readonly cap: number }): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM support_tickets t WHERE ${matches(query, filter)} LIMIT ${filter.cap}) AS matches`;
  return row?.count ?? 0;
}

export interface OperatorTicketRow extends TicketRow {
  readonly accountName: string;
  readonly keyName: string | null;
  /** When the last message came. */
  readonly lastMessageAt: Date;
}

/** Tickets of all accounts as the operator sees them, the newest first: those of these statuses, or one by its number. */
export async function readOperatorTickets(
  query: Query,
  selection: { readonly statuses: readonly string[]; readonly limit: number } | { readonly number: number },
): Promise<readonly OperatorTicketRow[]> {
  return await query<OperatorTicketRow[]>`
    SELECT ${columns(query)}, a.name AS "accountName",
      (SELECT name FROM api_keys k WHERE k.account_id = t.account_id AND k.id = t.key_id) AS "keyName",
      (SELECT max(m.created_at) FROM support_messages m WHERE m.account_id = t.account_id AND m.ticket_id = t.id) AS "lastMessageAt"
    FROM support_tickets t JOIN accounts a ON a.id = t.account_id
    WHERE ${'number' in selection ? query`t.number = ${selection.number}` : query`t.status = ANY (${[...selection.statuses]}::text[])`}
    ORDER BY t.number DESC ${'number' in selection ? query`` : query`LIMIT ${selection.limit}`}`;
}

/** The trail of a message as a ticket keeps it: no content, and the newest events alone. Null where the account has none of that id. */
export async function readTicketTrail(
  query: Query,
  accountId: string,
  emailId: string,
  maxEvents: number,
): Promise<TicketTrail | null> {
  const [row] = await query<TrailRow[]>`
    SELECT m.id, m.status, m.from_given AS "from", m.to_line AS "to", m.subject, m.created_at AS "createdAt", m.last_error AS "lastError",
      EXISTS (SELECT FROM approvals h WHERE h.account_id = m.account_id AND h.message_id = m.id AND h.status <> 'approved') AS "isWithheld",
      (SELECT coalesce(json_agg(json_build_object('id', e.id, 'seq', e.seq, 'type', e.type, 'createdAt', e.created_at,
          'recipient', e.recipient, 'classification', e.classification, 'detail', e.detail) ORDER BY e.seq), '[]')
        FROM (SELECT * FROM message_events
          WHERE account_id = ${accountId} AND message_id = ${emailId} ORDER BY seq DESC LIMIT ${maxEvents}) AS e) AS events
    FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${emailId}`;
  if (row === undefined) return null;
  const events = row.events.map((event) => ({ ...event, createdAt: new Date(event.createdAt).toISOString() }));
  return { ...row, createdAt: row.createdAt.toISOString(), events };
}

interface TrailRow {
  readonly from: string;
  readonly subject: string;
  readonly createdAt: Date;
  readonly isWithheld: boolean;
  readonly events: TrailEvent[];
}

/** What a ticket tells of a message. */
export interface TicketTrail extends Readonly<Record<string, unknown>> {
  readonly from: string;
  readonly subject: string;
  readonly createdAt: string;
  /** Whether the message was held and no person has approved it. */
  readonly isWithheld: boolean;
}

interface TrailEvent {
  readonly createdAt: string;
}

function columns(query: Query) {
  return query`t.account_id AS "accountId", t.id, t.number::float8 AS number, t.status, t.subject, t.key_id AS "keyId", t.context,
    t.request_id AS "requestId", t.request_log AS "requestLog", t.email_id AS "emailId", t.email_trail AS "emailTrail",
    (SELECT json_build_object('keyId', m.key_id, 'blind', ARRAY(SELECT r.email FROM message_recipients r
        WHERE r.account_id = m.account_id AND r.message_id = m.id AND r.kind = 'bcc'))
      FROM messages m WHERE m.account_id = t.account_id AND m.id = t.email_id) AS "emailOwner",
    t.created_at AS "createdAt",
    (SELECT json_agg(json_build_object('author', m.author, 'body', m.body, 'createdAt', m.created_at) ORDER BY m.seq)
      FROM support_messages m WHERE m.account_id = t.account_id AND m.ticket_id = t.id) AS messages`;
}

function named(query: Query, name: TicketName) {
  return 'id' in name ? query`t.id = ${name.id}` : query`t.number = ${name.number}`;
}

function matches(query: Query, { accountId, status }: TicketFilter) {
  return query`t.account_id = ${accountId} ${status === null ? query`` : query`AND t.status = ${status}`}`;
}
