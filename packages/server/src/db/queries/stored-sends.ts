import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { narrowed, nullable, pg, returning } from '../result.ts';
import { type messageBodies, type messageRecipients, messages } from '../schema/messages.ts';
import { defineStatement, type RowOf } from '../statement.ts';

const readSend = defineStatement({ accountId: messages.accountId, id: messages.id }, ({ accountId, id }) =>
  returning(
    {
      id: messages.id,
      keyId: messages.keyId,
      fromGiven: messages.fromGiven,
      replyTo: messages.replyTo,
      subject: messages.subject,
      channel: messages.channel,
      source: messages.source,
      agentName: messages.agentName,
      tags: messages.tags,
      metadata: messages.metadata,
      template: messages.template,
      unsubscribe: messages.unsubscribe,
      /** Null if it has expired or the message was canceled. */
      body: nullable(narrowed<Pick<typeof messageBodies.$inferSelect, 'html' | 'text' | 'headers'>>(pg.json)),
      recipients: narrowed<readonly Pick<typeof messageRecipients.$inferSelect, 'kind' | 'name' | 'email'>[]>(pg.json),
    },
    sql`
    SELECT m.id, m.key_id AS "keyId", m.from_given AS "fromGiven", m.reply_to AS "replyTo", m.subject, m.channel, m.source,
      m.agent_name AS "agentName", m.tags, m.metadata, m.template, m.unsubscribe,
      (SELECT json_build_object('html', b.html, 'text', b.text, 'headers', b.headers)
        FROM message_bodies b WHERE b.account_id = m.account_id AND b.message_id = m.id) AS body,
      (SELECT coalesce(json_agg(json_build_object('kind', r.kind, 'name', r.name, 'email', r.email) ORDER BY r.ordinal), '[]')
        FROM message_recipients r WHERE r.account_id = m.account_id AND r.message_id = m.id) AS recipients
    FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${id}`,
  ),
);

/** A message as it was accepted, with all that is needed to send it again. */
export type StoredSend = RowOf<typeof readSend>;

/** Null if the account has no message with that id. */
export async function readStoredSend(query: Query, accountId: string, id: string): Promise<StoredSend | null> {
  const [row] = await readSend(query, { accountId, id });
  return row ?? null;
}
