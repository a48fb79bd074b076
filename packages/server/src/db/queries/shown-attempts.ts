import { sql } from '../drizzle.ts';

/**
 * CTEs that set the open recipients of the deliveries in `under_way`, and their messages, to `sending`. `under_way` has locked the
 * deliveries. The messages are locked next, in the order in which outcomes lock them, and only then are recipients changed, so that no two
 * such statements can deadlock.
 */
export const SHOW_AS_SENDING = sql`
    ordered AS MATERIALIZED (
      SELECT m.account_id, m.id FROM messages m
      JOIN (SELECT DISTINCT account_id, message_id FROM under_way) AS u ON m.account_id = u.account_id AND m.id = u.message_id
      ORDER BY m.id
      FOR UPDATE OF m
    ),
    moved AS (
      UPDATE message_recipients r SET status = 'sending' FROM ordered o
      JOIN under_way u ON u.account_id = o.account_id AND u.message_id = o.id
      WHERE r.account_id = u.account_id AND r.message_id = u.message_id AND r.ordinal = ANY (u.ordinals) AND r.status IN ('queued', 'deferred')
    ),
    shown AS (
      UPDATE messages m SET status = 'sending' FROM ordered o
      WHERE m.account_id = o.account_id AND m.id = o.id AND m.status IN ('queued', 'deferred')
    )`;
