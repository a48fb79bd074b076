import type { Query } from '../client.ts';
import type { EventRow } from './webhook-events.ts';

/** An account whose events somebody follows. */
export interface FeedPosition {
  readonly accountId: string;
  /** Ids up to this one are past. */
  readonly after: string;
}

export interface FeedEntry {
  readonly accountId: string;
  readonly id: string;
  readonly type: string;
}

/** The youngest events behind each account's position, in no order; events for one endpoint alone are not told to listeners. */
export async function findFeedEntries(
  query: Query,
  positions: readonly FeedPosition[],
  limit: number,
): Promise<readonly FeedEntry[]> {
  return await query<FeedEntry[]>`
    SELECT p.account_id AS "accountId", e.id, e.type
    FROM unnest(${positions.map(({ accountId }) => accountId)}::uuid[], ${positions.map(({ after }) => after)}::uuid[]) AS p (account_id, after)
    CROSS JOIN LATERAL (
      SELECT w.id, w.type FROM webhook_events w
      WHERE w.account_id = p.account_id AND w.id > p.after AND w.endpoint_id IS NULL ORDER BY w.id DESC LIMIT ${limit}) AS e`;
}

/** These events of an account, by their ids; of those that are gone nothing. */
export async function readEventsById(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<readonly Pick<EventRow, 'id' | 'type' | 'body'>[]> {
  return await query<Pick<EventRow, 'id' | 'type' | 'body'>[]>`
    SELECT id, type, body FROM webhook_events WHERE account_id = ${accountId} AND id = ANY (${[...ids]}::uuid[])`;
}
