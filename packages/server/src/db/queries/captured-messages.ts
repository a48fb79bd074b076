import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { desc, eq, sql } from '../drizzle.ts';
import { executing } from '../result.ts';
import { capturedMessages } from '../schema/deliveries.ts';
import { messages } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

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
      INSERT INTO captured_messages (account_id, id, mail_from, from_given, recipients, subject, raw, received_at)
      SELECT ${accountId}, ${id}, ${mailFrom}, m.from_given, ${recipients}, m.subject, ${raw}, ${now}
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

const read = defineStatement({ id: capturedMessages.id }, ({ id }) =>
  builder
    .select(named({ ...CAPTURED, accountId: capturedMessages.accountId, raw: capturedMessages.raw }))
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
