import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { unnested } from '../record-columns.ts';
import { pg, returning } from '../result.ts';
import { webhookEvents } from '../schema/webhooks.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const find = defineStatement(
  { accountIds: value<readonly string[]>(), withinMs: value<number>(), limit: value<number>() },
  ({ accountIds, withinMs, limit }) =>
    returning(
      { accountId: pg.uuid, id: webhookEvents.id, type: webhookEvents.type },
      sql`
        SELECT a.id AS "accountId", e.id, e.type FROM ${unnested({ id: webhookEvents.accountId }, { id: accountIds })} AS a (id)
        CROSS JOIN LATERAL (
          SELECT w.id, w.type FROM webhook_events w
          WHERE w.account_id = a.id AND w.stored_at > now() - ${withinMs} * interval '1 millisecond' AND w.endpoint_id IS NULL
          ORDER BY w.stored_at DESC LIMIT ${limit}) AS e`,
    ),
);

export type FeedEntry = RowOf<typeof find>;

/**
 * Returns what was stored for these accounts in the last `withinMs`: up to `limit` of the newest per account, in no particular order.
 * Leaves out events for a single endpoint, which are not sent to listeners. Uses the database's clock, which also set the stored times,
 * because the clocks of processes differ.
 */
export async function findFeedEntries(
  query: Query,
  accountIds: readonly string[],
  { withinMs, limit }: { readonly withinMs: number; readonly limit: number },
): Promise<readonly FeedEntry[]> {
  return await find(query, { accountIds, withinMs, limit });
}

const read = defineStatement(
  { accountId: webhookEvents.accountId, ids: value<readonly string[]>() },
  ({ accountId, ids }) => {
    const { id, type, body, storedAt } = webhookEvents;
    return builder
      .select(named({ id, type, body, storedAt }))
      .from(webhookEvents)
      .where(and(eq(webhookEvents.accountId, accountId), sql`${id} = ANY (${ids}::uuid[])`));
  },
);

/** Reads events of an account by their ids; omits those that no longer exist. */
export async function readEventsById(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<readonly RowOf<typeof read>[]> {
  return await read(query, { accountId, ids });
}
