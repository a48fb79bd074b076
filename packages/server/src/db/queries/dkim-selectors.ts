import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { executing, nullable, pg, returning } from '../result.ts';
import { dkimKeysMade, dkimSelectors } from '../schema/domains.ts';
import { defineStatement, value } from '../statement.ts';

/** Whether any key still has the selector, in any domain of this name, including removed domains. */
const IS_HELD = sql`EXISTS (
  SELECT FROM dkim_keys k JOIN sending_domains d ON d.account_id = k.account_id AND d.id = k.domain_id
  WHERE k.account_id = s.account_id AND k.selector = s.selector AND d.name = s.name)`;

const forgetOld = defineStatement(
  { accountId: dkimSelectors.accountId, name: dkimSelectors.name, keep: value<number>() },
  ({ accountId, name, keep }) =>
    executing(sql`
      DELETE FROM dkim_selectors WHERE (account_id, name, selector) IN (
        SELECT s.account_id, s.name, s.selector FROM dkim_selectors s
        WHERE s.account_id = ${accountId} AND s.name = ${name} AND NOT ${IS_HELD}
        ORDER BY s.made_at DESC, s.selector OFFSET ${keep})`),
);

/** Deletes selectors at a name that no key has any more, except for the newest `keep`. */
export async function forgetOldSelectors(
  query: Query,
  { accountId, name }: { readonly accountId: string; readonly name: string },
  keep: number,
): Promise<void> {
  await forgetOld(query, { accountId, name, keep });
}

const noteUnused = defineStatement({ now: value<Date>() }, ({ now }) =>
  executing(sql`UPDATE dkim_selectors s SET unused_since = ${now} WHERE s.unused_since IS NULL AND NOT ${IS_HELD}`),
);

const forgetUnused = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`DELETE FROM dkim_selectors WHERE unused_since < ${before}`),
);

/** For all accounts: records since when a selector has no key, and deletes those that have had none since before `unusedBefore`. */
export async function forgetUnusedSelectors(query: Query, now: Date, unusedBefore: Date): Promise<void> {
  await noteUnused(query, { now });
  await forgetUnused(query, { before: unusedBefore });
}

const COUNTED = { accountId: dkimKeysMade.accountId, since: value<Date>() };

const count = defineStatement(
  { ...COUNTED, now: value<Date>(), limit: value<number>() },
  ({ accountId, now, since, limit }) =>
    returning(
      { accountId: dkimKeysMade.accountId },
      sql`
        INSERT INTO dkim_keys_made AS m (account_id, made_at) VALUES (${accountId}, ARRAY[${now}::timestamptz])
        ON CONFLICT (account_id) DO UPDATE
          SET made_at = ARRAY(SELECT t FROM unnest(m.made_at) AS t WHERE t > ${since} ORDER BY t) || ${now}::timestamptz
        WHERE (SELECT count(*) FROM unnest(m.made_at) AS t WHERE t > ${since}) < ${limit}
        RETURNING account_id AS "accountId"`,
    ),
);

const readOldest = defineStatement(COUNTED, ({ accountId, since }) =>
  returning(
    { oldest: nullable(pg.timestamptz) },
    sql`
      SELECT (SELECT min(t) FROM unnest(made_at) AS t WHERE t > ${since}) AS oldest
      FROM dkim_keys_made WHERE account_id = ${accountId}`,
  ),
);

/**
 * Counts a new RSA key of the account, unless it has created `limit` since `since`. Returns null if the key was counted; otherwise, when
 * the oldest of those keys was created. One row per account makes the count exact across all processes.
 */
export async function countKeyMade(
  query: Query,
  accountId: string,
  { now, since, limit }: { readonly now: Date; readonly since: Date; readonly limit: number },
): Promise<Date | null> {
  const counted = await count(query, { accountId, now, since, limit });
  if (counted.length > 0) return null;
  const [row] = await readOldest(query, { accountId, since });
  return row?.oldest ?? now;
}
