import type { Query } from '../client.ts';
import { POSTMASTER_KEY_ID, SEALED_BODY_MARK } from './postmaster-account.ts';

/** A body of the installation's own mail that an earlier release stored in clear text. */
export interface UnsealedBody {
  readonly accountId: string;
  readonly messageId: string;
  readonly text: string | null;
  readonly html: string | null;
}

/** Whether an upgrade left such bodies behind. */
export async function isMailUnsealed(query: Query): Promise<boolean> {
  const rows = await query`SELECT FROM installation WHERE name = 'waiting_mail'`;
  return rows.length > 0;
}

/** The bodies of mail that waits for delivery, locked until the end of the transaction. */
export async function lockUnsealedBodies(transaction: Query, limit: number): Promise<readonly UnsealedBody[]> {
  return await transaction<UnsealedBody[]>`
    SELECT b.account_id AS "accountId", b.message_id AS "messageId", b.text, b.html FROM message_bodies b
    JOIN (SELECT DISTINCT d.account_id, d.message_id FROM deliveries d
      JOIN messages m ON m.account_id = d.account_id AND m.id = d.message_id WHERE m.key_id = ${POSTMASTER_KEY_ID}) AS w
      ON w.account_id = b.account_id AND w.message_id = b.message_id
    WHERE NOT starts_with(coalesce(b.text, ''), ${SEALED_BODY_MARK})
    LIMIT ${limit} FOR UPDATE OF b`;
}

export async function replaceBody(
  transaction: Query,
  { accountId, messageId, text, html }: UnsealedBody,
): Promise<void> {
  await transaction`
    UPDATE message_bodies SET text = ${text}, html = ${html} WHERE account_id = ${accountId} AND message_id = ${messageId}`;
}

export async function noteMailSealed(query: Query): Promise<void> {
  await query`DELETE FROM installation WHERE name = 'waiting_mail'`;
}
