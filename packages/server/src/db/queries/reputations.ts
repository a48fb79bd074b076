import type { ReputationLevel } from '@postrider/core';
import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const read = defineStatement({ from: value<string>(), to: value<string>() }, ({ from, to }) =>
  returning(
    {
      ...{ accountId: accounts.id, level: accounts.reputationLevel },
      ...{ sent: pg.int4, bounced: pg.int4, complained: pg.int4 },
    },
    sql`
      SELECT a.id AS "accountId", a.reputation_level AS level, r.sent, r.bounced, r.complained FROM accounts a
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(sent), 0)::int AS sent, coalesce(sum(bounced), 0)::int AS bounced, coalesce(sum(complained), 0)::int AS complained
        FROM message_rollups
        WHERE account_id = a.id AND kind = 'outbound' AND span = 1 AND day >= greatest(${from}::date, a.reputation_from)
          AND day <= ${to}::date) AS r`,
  ),
);

/**
 * Every account with its level and the results of its mail on the given days (`YYYY-MM-DD`). Counts only mail that left the installation
 * and was not forgiven.
 */
export async function readReputations(
  query: Query,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly RowOf<typeof read>[]> {
  return await read(query, { from, to });
}

const change = defineStatement(
  { id: accounts.id, from: accounts.reputationLevel, to: accounts.reputationLevel },
  ({ id, from, to }) =>
    builder
      .update(accounts)
      .set({ reputationLevel: to })
      .where(and(eq(accounts.id, id), eq(accounts.reputationLevel, from)))
      .returning(named({ id: accounts.id })),
);

/** False if the level was changed in the meantime. */
export async function changeReputation(
  query: Query,
  id: string,
  from: ReputationLevel,
  to: ReputationLevel,
): Promise<boolean> {
  return (await change(query, { id, from, to })).length > 0;
}
