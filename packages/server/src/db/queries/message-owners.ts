import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { messages } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const readOwners = defineStatement(
  { accountId: messages.accountId, ids: value<readonly string[]>() },
  ({ accountId, ids }) =>
    returning(
      { id: messages.id, keyId: messages.keyId, blind: pg.textArray },
      sql`
        SELECT m.id, m.key_id AS "keyId", ARRAY(SELECT r.email FROM message_recipients r
          WHERE r.account_id = m.account_id AND r.message_id = m.id AND r.kind = 'bcc') AS blind
        FROM messages m WHERE m.account_id = ${accountId} AND m.id = ANY (${ids}::uuid[])`,
    ),
);

/** The key that issued a message, and the addresses of its blind recipients. */
export type MessageOwnerRow = RowOf<typeof readOwners>;

/** The keys that issued these messages and their blind recipients. Messages that are no longer stored are missing. */
export async function readMessageOwners(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<readonly MessageOwnerRow[]> {
  return ids.length === 0 ? [] : await readOwners(query, { accountId, ids });
}
