import { sql } from '../drizzle.ts';
import type { Query } from '../query.ts';
import { pg, returning } from '../result.ts';
import { defineStatement, type RowOf } from '../statement.ts';

const readState = defineStatement({}, () =>
  returning(
    { isStandby: pg.bool, isReadOnly: pg.bool },
    sql`
      SELECT pg_is_in_recovery() AS "isStandby", current_setting('default_transaction_read_only') = 'on' AS "isReadOnly"`,
  ),
);

/** Whether a server is a standby, and whether its transactions are read-only by default. */
export async function readHostState(query: Query): Promise<RowOf<typeof readState> | undefined> {
  const [state] = await readState(query, {});
  return state;
}
