import { toStoredAddressPart } from '@postrider/core';
import { builder, named } from '../builder.ts';
import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { desc, eq, type SQL, sql } from '../drizzle.ts';
import { executing, returning } from '../result.ts';
import { capturedMessages } from '../schema/deliveries.ts';
import { messages } from '../schema/messages.ts';
import { defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';

const insert = defineStatement(
  {
    accountId: capturedMessages.accountId,
    id: capturedMessages.id,
    mailFrom: capturedMessages.mailFrom,
    recipients: capturedMessages.recipients,
    messageId: messages.id,
    /** Encrypted if the installation itself sent the message. */
    raw: value<Uint8Array>(),
    now: capturedMessages.receivedAt,
  },
  ({ accountId, id, mailFrom, recipients, messageId, raw, now }) =>
    executing(sql`
      INSERT INTO captured_messages (account_id, id, mail_from, from_given, recipients, subject, raw, received_at, message_id)
      SELECT ${accountId}, ${id}, ${mailFrom}, m.from_given, ${recipients}, m.subject, ${raw}, ${now}, m.id
      FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${messageId}
      ON CONFLICT (account_id, id) DO UPDATE SET recipients = ARRAY(
        SELECT DISTINCT unnest(captured_messages.recipients || excluded.recipients))`),
);

/**
 * Stores a captured message under its delivery's id. Repeated delivery attempts therefore show as one message with the recipients of all
 * attempts.
 */
export async function insertCaptured(query: Query, message: Parameters<typeof insert>[1]): Promise<void> {
  await insert(query, message);
}

const CAPTURED = {
  id: capturedMessages.id,
  /** The envelope sender. */
  mailFrom: capturedMessages.mailFrom,
  /** The sender as the request gave it; null for messages captured before this column existed. */
  fromGiven: capturedMessages.fromGiven,
  to: capturedMessages.recipients,
  subject: capturedMessages.subject,
  receivedAt: capturedMessages.receivedAt,
};

const list = defineStatement({ limit: value<number>() }, ({ limit }) =>
  builder.select(named(CAPTURED)).from(capturedMessages).orderBy(desc(capturedMessages.id)).limit(limit),
);

export type CapturedRow = RowOf<typeof list>;

export async function listCaptured(query: Query, limit: number): Promise<readonly CapturedRow[]> {
  return await list(query, { limit });
}

/** What to find in the mailbox. Null and the empty text find everything. */
export interface MailboxSearch {
  /** Part of the subject, the sender or a recipient, in any case. */
  readonly text: string;
  /** The message that was sent. */
  readonly messageId: string | null;
}

/** `stored` is the text as in addresses, with A-labels, if that is another one. */
const WANTED = { text: value<string>(), stored: optional(value<string>()), messageId: optional(messages.id) };

/** Reads the whole table: development mailboxes are small. */
function matches({ text, stored, messageId }: Pick<GivenOf<typeof WANTED>, keyof typeof WANTED>): SQL {
  const searched = sql`lower(concat_ws(chr(10), c.subject, c.from_given, c.mail_from, array_to_string(c.recipients, chr(10))))`;
  return sql`(position(lower(${text}::text) in ${searched}) > 0 ${stored && sql`OR position(${stored}::text in ${searched}) > 0`})
        ${messageId && sql`AND c.message_id = ${messageId}`}`;
}

const search = defineStatement(
  { ...WANTED, before: optional(capturedMessages.id), limit: value<number>() },
  ({ before, limit, ...wanted }) =>
    returning(
      CAPTURED,
      sql`
        SELECT c.id, c.mail_from AS "mailFrom", c.from_given AS "fromGiven", c.recipients AS "to", c.subject, c.received_at AS "receivedAt"
        FROM captured_messages c WHERE ${matches(wanted)} ${before && sql`AND c.id < ${before}`}
        ORDER BY c.id DESC LIMIT ${limit}`,
    ),
);

const countFound = asCount(
  defineStatement({ ...WANTED, cap: value<number>() }, ({ cap, ...wanted }) =>
    countUpTo(cap, sql`SELECT FROM captured_messages c WHERE ${matches(wanted)}`),
  ),
);

/** One page of matches, newest first, and how many there are, up to `cap`. */
export async function searchCaptured(
  query: Query,
  wanted: MailboxSearch,
  page: { readonly before: string | null; readonly limit: number; readonly cap: number },
): Promise<{ readonly rows: readonly CapturedRow[]; readonly total: number }> {
  const { before, limit, cap } = page;
  const stored = toStoredAddressPart(wanted.text);
  const [rows, total] = await Promise.all([
    search(query, { ...wanted, stored, before, limit }),
    countFound(query, { ...wanted, stored, cap }),
  ]);
  return { rows, total };
}

const read = defineStatement({ id: capturedMessages.id }, ({ id }) =>
  builder
    .select(
      named({
        ...CAPTURED,
        accountId: capturedMessages.accountId,
        /** The message it belongs to; null if it was captured before this was recorded. */
        messageId: capturedMessages.messageId,
        raw: capturedMessages.raw,
      }),
    )
    .from(capturedMessages)
    .where(eq(capturedMessages.id, id))
    .limit(1),
);

export type CapturedMessage = RowOf<typeof read>;

/** Reads one captured message with its raw content; null if there is none with this id. */
export async function readCapturedMessage(query: Query, id: string): Promise<CapturedMessage | null> {
  const [row] = await read(query, { id });
  return row ?? null;
}
