import type { Query } from '../client.ts';

export interface NewCapturedMessage {
  readonly accountId: string;
  readonly id: string;
  readonly mailFrom: string;
  readonly recipients: readonly string[];
  readonly messageId: string;
  /** Sealed where the message is the installation's own. */
  readonly raw: Uint8Array;
  readonly now: Date;
}

/** Stores a caught message under its delivery's id, so that a repeated hand-off shows as one, with the recipients of all its attempts. */
export async function insertCaptured(query: Query, message: NewCapturedMessage): Promise<void> {
  await query`
    INSERT INTO captured_messages (account_id, id, mail_from, from_given, recipients, subject, raw, received_at)
    SELECT ${message.accountId}, ${message.id}, ${message.mailFrom}, m.from_given, ${[...message.recipients]}, m.subject, ${message.raw},
      ${message.now}
    FROM messages m WHERE m.account_id = ${message.accountId} AND m.id = ${message.messageId}
    ON CONFLICT (account_id, id) DO UPDATE SET recipients = ARRAY(
      SELECT DISTINCT unnest(captured_messages.recipients || excluded.recipients))`;
}

export interface CapturedRow {
  readonly id: string;
  /** The envelope's sender. */
  readonly mailFrom: string;
  /** The message's sender as given; null in what was captured before it was kept. */
  readonly fromGiven: string | null;
  readonly to: string[];
  readonly subject: string;
  readonly receivedAt: Date;
}

export async function listCaptured(query: Query, limit: number): Promise<readonly CapturedRow[]> {
  return await query<CapturedRow[]>`
    SELECT id, mail_from AS "mailFrom", from_given AS "fromGiven", recipients AS "to", subject, received_at AS "receivedAt"
    FROM captured_messages ORDER BY id DESC LIMIT ${limit}`;
}

export interface CapturedMessage extends CapturedRow {
  readonly accountId: string;
  readonly raw: Uint8Array;
}

/** One caught message with its bytes; null where there is none of that id. */
export async function readCapturedMessage(query: Query, id: string): Promise<CapturedMessage | null> {
  const [row] = await query<CapturedMessage[]>`
    SELECT account_id AS "accountId", id, mail_from AS "mailFrom", from_given AS "fromGiven", recipients AS "to", subject,
      received_at AS "receivedAt", raw
    FROM captured_messages WHERE id = ${id} LIMIT 1`;
  return row ?? null;
}
