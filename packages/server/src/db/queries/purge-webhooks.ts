import type { Query } from '../client.ts';

/** Rows a statement removes at most. */
const PURGE_ROWS = 5_000;

/** Removes events and attempts from before then, and what waits of such events. */
export async function purgeWebhooks(query: Query, before: Date): Promise<void> {
  await repeat(async () => {
    const rows = await query`
      DELETE FROM webhook_deliveries d USING (
        SELECT x.account_id, x.endpoint_id, x.event_id FROM webhook_deliveries x WHERE x.event_id < uuid_v7_lower_bound(${before})
        LIMIT ${PURGE_ROWS}) AS aged
      WHERE d.account_id = aged.account_id AND d.endpoint_id = aged.endpoint_id AND d.event_id = aged.event_id RETURNING 1`;
    return rows.length;
  });
  await repeat(async () => {
    const rows = await query`
      WITH aged AS MATERIALIZED (
        SELECT account_id, id FROM webhook_events WHERE id < uuid_v7_lower_bound(${before}) LIMIT ${PURGE_ROWS})
      DELETE FROM webhook_events e USING aged WHERE e.account_id = aged.account_id AND e.id = aged.id RETURNING 1`;
    return rows.length;
  });
  await repeat(async () => {
    const rows = await query`
      WITH aged AS MATERIALIZED (
        SELECT account_id, endpoint_id, id FROM webhook_attempts WHERE id < uuid_v7_lower_bound(${before}) LIMIT ${PURGE_ROWS})
      DELETE FROM webhook_attempts a USING aged
      WHERE a.account_id = aged.account_id AND a.endpoint_id = aged.endpoint_id AND a.id = aged.id RETURNING 1`;
    return rows.length;
  });
}

async function repeat(purge: () => Promise<number>): Promise<void> {
  while ((await purge()) === PURGE_ROWS);
}
