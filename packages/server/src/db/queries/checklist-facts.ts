import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const read = defineStatement({ accountId: accounts.id, fullScopes: value<number>() }, ({ accountId, fullScopes }) =>
  returning(
    {
      ...{ messageSent: pg.bool, messageDelivered: pg.bool, domainAdded: pg.bool, domainVerified: pg.bool },
      ...{ keyRestricted: pg.bool, templateStored: pg.bool },
    },
    sql`
        SELECT EXISTS (SELECT FROM messages WHERE account_id = ${accountId}) AS "messageSent",
          EXISTS (SELECT FROM messages WHERE account_id = ${accountId} AND status IN ('delivered', 'sent')) AS "messageDelivered",
          EXISTS (SELECT FROM sending_domains WHERE account_id = ${accountId} AND status <> 'removed') AS "domainAdded",
          EXISTS (SELECT FROM sending_domains WHERE account_id = ${accountId} AND is_sendable(status)) AS "domainVerified",
          EXISTS (SELECT FROM api_keys WHERE account_id = ${accountId} AND revoked_at IS NULL AND NOT is_seat
            AND cardinality(scopes) < ${fullScopes}) AS "keyRestricted",
          EXISTS (SELECT FROM templates WHERE account_id = ${accountId}) AS "templateStored"`,
  ),
);

/** What an account has done so far. */
export type ChecklistRow = RowOf<typeof read>;

/** `fullScopes` is the number of scopes of an unrestricted key; a key with fewer is restricted. */
export async function readChecklistFacts(query: Query, accountId: string, fullScopes: number): Promise<ChecklistRow> {
  const [row] = await read(query, { accountId, fullScopes });
  if (row === undefined) throw new Error('the checklist facts have no row');
  return row;
}
