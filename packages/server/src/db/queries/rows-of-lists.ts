import { sql } from '../drizzle.ts';

/**
 * For the FROM clause: the rows of a table for the messages in `asked`, which lists them by account in the order of their ids. Reading them
 * message by message takes longer. The bounds exclude the partitions of other months.
 * @param id the table's column with the id of the message
 * @param as the name of the rows
 */
export function rowsOfLists(table: string, id: string, as: string): string {
  return `asked a CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE account_id = a.account_id AND ${id} = ANY (a.ids)
    AND ${id} >= a.ids[1] AND ${id} <= a.ids[cardinality(a.ids)] OFFSET 0) AS ${as}`;
}

/** The lists of the messages in `taken`, whose rows have an account and some ids of messages. */
export const ASKED_OF_TAKEN = sql.raw(`
  SELECT account_id, array_agg(DISTINCT message_id ORDER BY message_id) AS ids FROM taken, unnest(message_ids) AS message_id GROUP BY account_id`);
