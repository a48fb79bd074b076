import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { defineStatement, type RowOf } from '../statement.ts';

const readFacts = defineStatement({}, () =>
  returning(
    {
      allowed: pg.int4,
      used: pg.int4,
      /** Connections to this database from servers on this machine. */
      neighbors: pg.int4,
    },
    // The limit with the least room: of the whole cluster, of the user, or of the database. -1 means no limit.
    sql`WITH open AS (
        SELECT usename, datname,
          application_name LIKE 'postrider-%' AND datname = current_database() AND client_addr IS NOT DISTINCT FROM inet_client_addr() AS is_neighbor
        FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND application_name <> 'postrider-admin'
      ), limits (allowed, used) AS (
        SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
          (SELECT count(*)::int FROM open)
        UNION ALL
        SELECT CASE WHEN rolsuper THEN -1 ELSE rolconnlimit END, (SELECT count(*)::int FROM open WHERE usename = rolname)
        FROM pg_roles WHERE rolname = current_user
        UNION ALL
        SELECT pg_database.datconnlimit, (SELECT count(*)::int FROM open WHERE open.datname = pg_database.datname)
        FROM pg_database WHERE pg_database.datname = current_database()
      )
      SELECT allowed, used, (SELECT count(*)::int FROM open WHERE is_neighbor) AS neighbors FROM limits WHERE allowed >= 0 ORDER BY allowed - used LIMIT 1`,
  ),
);

/** How many connections the database allows to its user, and how many are open. Those that prepare a start are not counted. */
export async function readConnectionFacts(query: Query): Promise<RowOf<typeof readFacts>> {
  const [row] = await readFacts(query, {});
  if (row === undefined) throw new Error('The database did not return its limits.');
  return row;
}
