import type { Query } from '../client.ts';

/** Where the tests of templates by a key of templates go, and what they can be sent from. */
export interface TestPlaces {
  /** Of the person behind the key, and where nobody knows them of the owner; null where the account has none either. */
  readonly inbox: string | null;
  /** The first domain that the account verified; null where it has none. */
  readonly domain: string | null;
}

export async function readTestPlaces(
  query: Query,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
): Promise<TestPlaces> {
  const [row] = await query<TestPlaces[]>`
    SELECT
      coalesce(
        (SELECT m.email FROM api_keys k JOIN members m ON m.account_id = k.account_id AND m.id = k.created_by_member
          WHERE k.account_id = ${accountId} AND k.id = ${keyId}),
        (SELECT email FROM members WHERE account_id = ${accountId} AND role = 'owner' ORDER BY id LIMIT 1)) AS inbox,
      (SELECT name FROM sending_domains
        WHERE account_id = ${accountId} AND is_sendable(status) ORDER BY id LIMIT 1) AS domain`;
  return row ?? { inbox: null, domain: null };
}
