import type { Query } from '../client.ts';

export interface MessageOwnerRow {
  readonly id: string;
  readonly keyId: string;
  /** The addresses of the blind recipients. */
  readonly blind: readonly string[];
}

/** The keys that issued these messages, and their blind recipients; nothing of messages that are stored no more. */
export async function readMessageOwners(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<readonly MessageOwnerRow[]> {
  if (ids.length === 0) return [];
  return await query<MessageOwnerRow[]>`
    SELECT m.id, m.key_id AS "keyId", ARRAY(SELECT r.email FROM message_recipients r
      WHERE r.account_id = m.account_id AND r.message_id = m.id AND r.kind = 'bcc') AS blind
    FROM messages m WHERE m.account_id = ${accountId} AND m.id = ANY (${[...ids]}::uuid[])`;
}
