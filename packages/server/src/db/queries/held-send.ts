import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { narrowed, pg, returning } from '../result.ts';
import { approvals } from '../schema/approvals.ts';
import { type messageRecipients, messages } from '../schema/messages.ts';
import { defineStatement, optional, type RowOf } from '../statement.ts';

type Recipient = Pick<typeof messageRecipients.$inferSelect, 'ordinal' | 'kind' | 'name' | 'email'>;

const readSend = defineStatement(
  { accountId: approvals.accountId, id: approvals.id, holder: optional(approvals.keyId) },
  ({ accountId, id, holder }) =>
    returning(
      {
        accountId: approvals.accountId,
        id: approvals.id,
        emailId: approvals.messageId,
        status: approvals.status,
        expiresAt: approvals.expiresAt,
        /** The key that asked for the send. */
        holderId: approvals.keyId,
        /** The key that it is sent under. */
        keyId: messages.keyId,
        fromDomain: messages.fromDomain,
        charged: messages.charged,
        createdAt: messages.createdAt,
        recipients: narrowed<readonly Recipient[]>(pg.json),
      },
      sql`
        SELECT h.account_id AS "accountId", h.id, h.message_id AS "emailId", h.status, h.expires_at AS "expiresAt", h.key_id AS "holderId",
          m.key_id AS "keyId", m.from_domain AS "fromDomain", m.charged, m.created_at AS "createdAt",
          (SELECT coalesce(json_agg(json_build_object('ordinal', r.ordinal, 'kind', r.kind, 'name', r.name, 'email', r.email) ORDER BY r.ordinal), '[]')
            FROM message_recipients r WHERE r.account_id = h.account_id AND r.message_id = h.message_id) AS recipients
        FROM approvals h JOIN messages m ON m.account_id = h.account_id AND m.id = h.message_id
        WHERE h.account_id = ${accountId} AND h.id = ${id} ${holder && sql`AND h.key_id = ${holder}`}`,
    ),
);

/** What the acceptance check needs to know about a held send. */
export type HeldSend = RowOf<typeof readSend>;

/** Reads a held send without locking it; null if the account has none with this id, or it is not of the holder. */
export async function readHeldSend(
  query: Query,
  name: { readonly accountId: string; readonly id: string; readonly holder: string | null },
): Promise<HeldSend | null> {
  const [row] = await readSend(query, name);
  return row ?? null;
}
