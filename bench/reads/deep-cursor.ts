import { ALL_SCOPES } from '@postrider/core';
import { encodeCursor } from '../../packages/server/src/operations/cursor.ts';
import { toMessageFilters } from '../../packages/server/src/operations/emails/message-filters.ts';
import type { TaggedSql } from '../../test/harness/tagged.ts';
import { READ_ACCOUNT } from './data-set.ts';

/** The cursor that so many rows of the unfiltered list lie before: following the pages there would take a while. */
export async function deepCursor(sql: TaggedSql, rows: number): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    SELECT id FROM messages WHERE account_id = ${READ_ACCOUNT} ORDER BY id DESC OFFSET ${rows} LIMIT 1`;
  const filters = { ...toMessageFilters({}, { accountId: READ_ACCOUNT, keyId: '', scopes: ALL_SCOPES, person: null }) };
  return encodeCursor(row?.id ?? '', { list: 'emails', accountId: READ_ACCOUNT, filters });
}
