import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { executing } from '../result.ts';
import { defineStatement, value } from '../statement.ts';

/** The maximum number of rows that a statement removes. */
const PURGE_ROWS = 5_000;

const AGED = { before: value<Date>() };

const purgeDeliveries = defineStatement(AGED, ({ before }) =>
  executing(sql`
    DELETE FROM webhook_deliveries d USING (
      SELECT x.account_id, x.endpoint_id, x.event_id FROM webhook_deliveries x WHERE x.event_id < uuid_v7_lower_bound(${before})
      LIMIT ${PURGE_ROWS}) AS aged
    WHERE d.account_id = aged.account_id AND d.endpoint_id = aged.endpoint_id AND d.event_id = aged.event_id`),
);

const purgeEvents = defineStatement(AGED, ({ before }) =>
  executing(sql`
    WITH aged AS MATERIALIZED (
      SELECT account_id, id FROM webhook_events WHERE id < uuid_v7_lower_bound(${before}) LIMIT ${PURGE_ROWS})
    DELETE FROM webhook_events e USING aged WHERE e.account_id = aged.account_id AND e.id = aged.id`),
);

const purgeAttempts = defineStatement(AGED, ({ before }) =>
  executing(sql`
    WITH aged AS MATERIALIZED (
      SELECT account_id, endpoint_id, id FROM webhook_attempts WHERE id < uuid_v7_lower_bound(${before}) LIMIT ${PURGE_ROWS})
    DELETE FROM webhook_attempts a USING aged
    WHERE a.account_id = aged.account_id AND a.endpoint_id = aged.endpoint_id AND a.id = aged.id`),
);

/** Removes events and attempts from before this time, and deliveries that wait for such events. */
export async function purgeWebhooks(query: Query, before: Date): Promise<void> {
  for (const purge of [purgeDeliveries, purgeEvents, purgeAttempts]) {
    while ((await purge(query, { before })) === PURGE_ROWS);
  }
}
