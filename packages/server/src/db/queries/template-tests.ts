import type { Query } from '../client.ts';

/** Where an account's tests of templates go, and what they can be sent from. */
export interface TestPlaces {
  /** Null where the account has no owner. */
  readonly ownerEmail: string | null;
  /** The first domain that the account verified; null where it has none. */
  readonly domain: string | null;
}

export async function readTestPlaces(query: Query, accountId: string): Promise<TestPlaces> {
  const [row] = await query<TestPlaces[]>`
    SELECT
      (SELECT email FROM members WHERE account_id = ${accountId} AND role = 'owner' ORDER BY id LIMIT 1) AS "ownerEmail",
      (SELECT name FROM sending_domains
        WHERE account_id = ${accountId} AND status IN ('verified', 'degraded') ORDER BY id LIMIT 1) AS domain`;
  return row ?? { ownerEmail: null, domain: null };
}
