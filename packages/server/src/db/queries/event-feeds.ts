import type { Query } from '../client.ts';
import type { EventRow } from './webhook-events.ts';

/** An account whose events somebody follows. */
export interface FeedPosition {
  readonly accountId: string;
  /** What was stored up to then is past. */
  readonly after: Date;
}

export interface FeedEntry {
  readonly accountId: string;
  readonly id: string;
  readonly type: string;
  readonly storedAt: Date;
}

/** Those that were stored last behind each account's position, in no order; events for one endpoint alone are not told to listeners. */
export async function findFeedEntries(
  query: Query,
  positions: readonly FeedPosition[],
  limit: number,
): Promise<readonly FeedEntry[]> {
  return await query<FeedEntry[]>`
    SELECT p.account_id AS "accountId", e.id, e.type, e.stored_at AS "storedAt"
    FROM unnest(${positions.map(({ accountId }) => accountId)}::uuid[], ${positions.map(({ after }) => after.toISOString())}::text[]::timestamptz[]) AS p (account_id, after)
    CROSS JOIN LATERAL (
      SELECT w.id, w.type, w.stored_at FROM webhook_events w
      WHERE w.account_id = p.account_id AND w.stored_at > p.after AND w.endpoint_id IS NULL ORDER BY w.stored_at DESC LIMIT ${limit}) AS e`;
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
