import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { executing, pg, returning } from '../result.ts';
import { domainTakeovers, sendingDomains } from '../schema/domains.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const NAME = { accountId: sendingDomains.accountId, name: sendingDomains.name };

const find = defineStatement(NAME, ({ accountId, name }) =>
  returning(
    {},
    sql`SELECT FROM sending_domains WHERE account_id = ${accountId} AND name = ${name} AND status <> 'removed'`,
  ),
);

/** Whether the account has a domain of this name that is not removed. */
export async function hasDomain(query: Query, accountId: string, name: string): Promise<boolean> {
  const rows = await find(query, { accountId, name });
  return rows.length > 0;
}

const lock = defineStatement({ lock: value<string>() }, (given) =>
  executing(sql`SELECT FROM pg_advisory_xact_lock(hashtextextended(${given.lock}, 0))`),
);

/**
 * Only one transaction at a time decides whose a name is, over all accounts. A unique index could not: an unverified name may be in many.
 */
export async function lockName(query: Query, name: string): Promise<void> {
  await lock(query, { lock: `postrider.domain ${name}` });
}

const readHolderOf = defineStatement(NAME, ({ accountId, name }) =>
  returning(
    {
      accountId: sendingDomains.accountId,
      id: sendingDomains.id,
      /** Not where it is held by a challenge alone. */
      isVerified: pg.bool,
      /** How often the name was taken from a holder. */
      takeovers: pg.int4,
    },
    // As is_domain_held_elsewhere has it, by which an account is told that somebody has the name.
    sql`
      SELECT h.account_id AS "accountId", h.id, h.status <> 'pending' AS "isVerified",
        coalesce((SELECT times FROM domain_takeovers t WHERE t.name = h.name), 0) AS takeovers
      FROM sending_domains h
      WHERE h.name = ${name} AND h.account_id <> ${accountId}
        AND (is_sendable(h.status) OR (h.status = 'pending' AND h.claimed_at IS NOT NULL))
      ORDER BY h.claimed_at DESC NULLS LAST LIMIT 1`,
  ),
);

/** The domain of another account that holds a name. */
export type NameHolder = RowOf<typeof readHolderOf>;

/** The domain of another account that holds a name: verified, or taken by a challenge that was met. Null where nobody does. */
export async function readHolder(query: Query, accountId: string, name: string): Promise<NameHolder | null> {
  const [row] = await readHolderOf(query, { accountId, name });
  return row ?? null;
}

const addTakeover = defineStatement({ name: domainTakeovers.name }, ({ name }) =>
  executing(sql`
    INSERT INTO domain_takeovers AS t (name, times) VALUES (${name}, 1) ON CONFLICT (name) DO UPDATE SET times = t.times + 1`),
);

/** Counts that a name was taken from its holder. */
export async function countTakeover(query: Query, name: string): Promise<void> {
  await addTakeover(query, { name });
}
