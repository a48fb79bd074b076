import type { Scope } from '@postrider/core';
import { encodeCursor } from '../../packages/server/src/operations/cursor.ts';
import { toMessageFilters } from '../../packages/server/src/operations/emails/message-filters.ts';
import type { TaggedSql } from '../../test/harness/tagged.ts';
import { READ_ACCOUNT } from './data-set.ts';

/** A cursor `rows` rows into a key's unfiltered list, which would take long to reach page by page. */
export async function deepCursor(
  sql: TaggedSql,
  key: { readonly keyId: string; readonly scopes: readonly Scope[] },
  rows: number,
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    SELECT id FROM messages WHERE account_id = ${READ_ACCOUNT} ORDER BY id DESC OFFSET ${rows} LIMIT 1`;
  const filters = { ...toMessageFilters({}, { ...key, accountId: READ_ACCOUNT, user: null }) };
  return encodeCursor(row?.id ?? '', { list: 'emails', accountId: READ_ACCOUNT, filters });
}
