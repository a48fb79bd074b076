import { builder } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { executing, returning } from '../result.ts';
import { messageBodies } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { POSTMASTER_KEY_ID, SEALED_BODY_MARK } from './postmaster-account.ts';

const findNote = defineStatement({}, () => returning({}, sql`SELECT FROM installation WHERE name = 'waiting_mail'`));

/** Whether an upgrade left such bodies. */
export async function isMailUnsealed(query: Query): Promise<boolean> {
  const rows = await findNote(query, {});
  return rows.length > 0;
}

const BODY = {
  accountId: messageBodies.accountId,
  messageId: messageBodies.messageId,
  text: messageBodies.text,
  html: messageBodies.html,
};

const lock = defineStatement({ limit: value<number>() }, ({ limit }) =>
  returning(
    BODY,
    sql`
      SELECT b.account_id AS "accountId", b.message_id AS "messageId", b.text, b.html FROM message_bodies b
      JOIN (SELECT DISTINCT d.account_id, d.message_id FROM deliveries d
        JOIN messages m ON m.account_id = d.account_id AND m.id = d.message_id WHERE m.key_id = ${POSTMASTER_KEY_ID}) AS w
        ON w.account_id = b.account_id AND w.message_id = b.message_id
      WHERE NOT starts_with(coalesce(b.text, ''), ${SEALED_BODY_MARK})
      LIMIT ${limit} FOR UPDATE OF b`,
  ),
);

/** A body of the installation's own mail that an earlier release stored in plaintext. */
export type UnsealedBody = RowOf<typeof lock>;

/** The bodies of mail that waits for delivery, locked until the end of the transaction. */
export async function lockUnsealedBodies(transaction: Query, limit: number): Promise<readonly UnsealedBody[]> {
  return await lock(transaction, { limit });
}

const replace = defineStatement(BODY, ({ accountId, messageId, text, html }) =>
  builder
    .update(messageBodies)
    .set({ text, html })
    .where(and(eq(messageBodies.accountId, accountId), eq(messageBodies.messageId, messageId))),
);

export async function replaceBody(transaction: Query, body: UnsealedBody): Promise<void> {
  await replace(transaction, body);
}

const removeNote = defineStatement({}, () => executing(sql`DELETE FROM installation WHERE name = 'waiting_mail'`));

export async function markMailSealed(query: Query): Promise<void> {
  await removeNote(query, {});
}
