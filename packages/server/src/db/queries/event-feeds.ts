import type { Query } from '../client.ts';
import type { EventRow } from './webhook-events.ts';

export interface FeedEntry {
  readonly accountId: string;
  readonly id: string;
  readonly type: string;
}

/**
 * What was stored for these accounts in the last `withinMs`, the last `limit` of each, in no order; events for one endpoint alone are not told
 * to listeners. By the database's clock, which wrote when each was stored: the clocks of processes differ.
 */
export async function findFeedEntries(
  query: Query,
  accountIds: readonly string[],
  { withinMs, limit }: { readonly withinMs: number; readonly limit: number },
): Promise<readonly FeedEntry[]> {
  return await query<FeedEntry[]>`
    SELECT a.id AS "accountId", e.id, e.type FROM unnest(${[...accountIds]}::uuid[]) AS a (id)
    CROSS JOIN LATERAL (
      SELECT w.id, w.type FROM webhook_events w
      WHERE w.account_id = a.id AND w.stored_at > now() - ${withinMs} * interval '1 millisecond' AND w.endpoint_id IS NULL
      ORDER BY w.stored_at DESC LIMIT ${limit}) AS e`;
}

/** These events of an account, by their ids; of those that are gone nothing. */
export async function readEventsById(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<readonly Omit<EventRow, 'createdAt'>[]> {
  return await query<Omit<EventRow, 'createdAt'>[]>`
    SELECT id, type, body, stored_at AS "storedAt" FROM webhook_events WHERE account_id = ${accountId} AND id = ANY (${[...ids]}::uuid[])`;
}
