import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { nullable, returning } from '../result.ts';
import { sendingDomains } from '../schema/domains.ts';
import { apiKeys } from '../schema/keys.ts';
import { members } from '../schema/people.ts';
import { defineStatement, type RowOf } from '../statement.ts';

const read = defineStatement({ accountId: apiKeys.accountId, keyId: apiKeys.id }, ({ accountId, keyId }) =>
  returning(
    {
      /** Of the user behind the key, and where that one is not known of the owner; null where the account has none either. */
      inbox: nullable(members.email),
      /** The first domain that the account verified; null where it has none. */
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

/** Where the tests of templates by a key of templates are sent, and what they can be sent from. */
export type TestPlaces = RowOf<typeof read>;

export async function readTestPlaces(
  query: Query,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
): Promise<TestPlaces> {
  const [row] = await read(query, { accountId, keyId });
  return row ?? { inbox: null, domain: null };
}
