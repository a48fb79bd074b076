import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { nullable, returning } from '../result.ts';
import { sendingDomains } from '../schema/domains.ts';
import { apiKeys } from '../schema/keys.ts';
import { members } from '../schema/users.ts';
import { defineStatement, type RowOf } from '../statement.ts';

const read = defineStatement({ accountId: apiKeys.accountId, keyId: apiKeys.id }, ({ accountId, keyId }) =>
  returning(
    {
      /** The address of the user behind the key, otherwise that of the owner; null if the account has neither. */
      inbox: nullable(members.email),
      /** The first domain that the account verified; null if it has none. */
      domain: nullable(sendingDomains.name),
    },
    sql`
      SELECT
        coalesce(
          (SELECT m.email FROM api_keys k JOIN members m ON m.account_id = k.account_id AND m.id = k.created_by_member
            WHERE k.account_id = ${accountId} AND k.id = ${keyId}),
          (SELECT email FROM members WHERE account_id = ${accountId} AND role = 'owner' ORDER BY id LIMIT 1)) AS inbox,
        (SELECT name FROM sending_domains
          WHERE account_id = ${accountId} AND is_sendable(status) ORDER BY id LIMIT 1) AS domain`,
  ),
);

/** Where a key's template tests are sent, and the domain that they can be sent from. */
export type TestPlaces = RowOf<typeof read>;

export async function readTestPlaces(
  query: Query,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
): Promise<TestPlaces> {
  const [row] = await read(query, { accountId, keyId });
  return row ?? { inbox: null, domain: null };
}
