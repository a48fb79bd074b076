import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { narrowed, pg, returning } from '../result.ts';
import { messages } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

interface EmailEvent {
  readonly createdAt: string;
}

const read = defineStatement(
  { accountId: messages.accountId, emailId: messages.id, maxEvents: value<number>() },
  ({ accountId, emailId, maxEvents }) =>
    returning(
      {
        ...{ id: messages.id, status: messages.status, from: messages.fromGiven, to: messages.toLine },
        ...{ subject: messages.subject, createdAt: messages.createdAt, lastError: messages.lastError },
        /** Whether the message was held and no user has approved it. */
        isWithheld: pg.bool,
        events: narrowed<readonly EmailEvent[]>(pg.json),
      },
      sql`
        SELECT m.id, m.status, m.from_given AS "from", m.to_line AS "to", m.subject, m.created_at AS "createdAt", m.last_error AS "lastError",
          EXISTS (SELECT FROM approvals h WHERE h.account_id = m.account_id AND h.message_id = m.id AND h.status <> 'approved') AS "isWithheld",
          (SELECT coalesce(json_agg(json_build_object('id', e.id, 'seq', e.seq, 'type', e.type, 'createdAt', e.created_at,
              'recipient', e.recipient, 'classification', e.classification, 'detail', e.detail) ORDER BY e.seq), '[]')
            FROM (SELECT * FROM message_events
              WHERE account_id = ${accountId} AND message_id = ${emailId} ORDER BY seq DESC LIMIT ${maxEvents}) AS e) AS events
        FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${emailId}`,
    ),
);

/** What a ticket shows of a message. */
export type TicketEvents = Omit<RowOf<typeof read>, 'createdAt'> & { readonly createdAt: string };

/** The events of a message as a ticket stores them: only the newest, without content. Null if the account has no message with that id. */
export async function readTicketEvents(
  query: Query,
  accountId: string,
  emailId: string,
  maxEvents: number,
): Promise<TicketEvents | null> {
  const [row] = await read(query, { accountId, emailId, maxEvents });
  if (row === undefined) return null;
  const events = row.events.map((event) => ({ ...event, createdAt: new Date(event.createdAt).toISOString() }));
  return { ...row, createdAt: row.createdAt.toISOString(), events };
}
