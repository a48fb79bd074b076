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

/** Whether the account has a domain with this name that is not removed. */
export async function hasDomain(query: Query, accountId: string, name: string): Promise<boolean> {
  const rows = await find(query, { accountId, name });
  return rows.length > 0;
}

const lock = defineStatement({ lock: value<string>() }, (given) =>
  executing(sql`SELECT FROM pg_advisory_xact_lock(hashtextextended(${given.lock}, 0))`),
);

/**
 * Lets only one transaction at a time, across all accounts, decide who owns a name. A unique index cannot do this, because several accounts
 * may have the same unverified name.
 */
export async function lockName(query: Query, name: string): Promise<void> {
  await lock(query, { lock: `postrider.domain ${name}` });
}

const readHolderOf = defineStatement(NAME, ({ accountId, name }) =>
  returning(
    {
      accountId: sendingDomains.accountId,
      id: sendingDomains.id,
      /** False if only a completed challenge backs the claim to the name. */
      isVerified: pg.bool,
      /** How often the name was taken over from an account that had it. */
      takeovers: pg.int4,
    },
    // The same condition as is_domain_held_elsewhere, which decides whether an account is notified that another one has the name.
    sql`
      SELECT h.account_id AS "accountId", h.id, h.status <> 'pending' AS "isVerified",
        coalesce((SELECT times FROM domain_takeovers t WHERE t.name = h.name), 0) AS takeovers
      FROM sending_domains h
      WHERE h.name = ${name} AND h.account_id <> ${accountId}
        AND (is_sendable(h.status) OR (h.status = 'pending' AND h.claimed_at IS NOT NULL))
      ORDER BY h.claimed_at DESC NULLS LAST LIMIT 1`,
  ),
);

export type NameHolder = RowOf<typeof readHolderOf>;

/** Finds the domain of another account that owns a name, by verification or by a completed challenge; null if there is none. */
export async function readHolder(query: Query, accountId: string, name: string): Promise<NameHolder | null> {
  const [row] = await readHolderOf(query, { accountId, name });
  return row ?? null;
}

const addTakeover = defineStatement({ name: domainTakeovers.name }, ({ name }) =>
  executing(sql`
    INSERT INTO domain_takeovers AS t (name, times) VALUES (${name}, 1) ON CONFLICT (name) DO UPDATE SET times = t.times + 1`),
);

/** Counts that the name was taken over from the account that had it. */
export async function countTakeover(query: Query, name: string): Promise<void> {
  await addTakeover(query, { name });
}
