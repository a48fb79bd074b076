import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, present, returning } from '../result.ts';
import { defineStatement, type RowOf } from '../statement.ts';

const readConnection = defineStatement({}, () =>
  returning(
    {
      /** The current user, whose privileges apply. */
      user: pg.text,
      /** The user that connected. */
      sessionUser: pg.text,
      timeZone: pg.text,
      statementTimeoutMs: pg.int4,
      planCacheMode: pg.text,
    },
    sql`
      SELECT current_user::text AS user, session_user::text AS "sessionUser", current_setting('TimeZone') AS "timeZone",
        (extract(epoch FROM current_setting('statement_timeout')::interval) * 1000)::int AS "statementTimeoutMs",
        current_setting('plan_cache_mode') AS "planCacheMode"`,
  ),
);

/** The users and the settings that statements on a connection run with. */
export type ConnectionFacts = RowOf<typeof readConnection>;

export async function readConnectionFacts(query: Query): Promise<ConnectionFacts> {
  const [row] = await readConnection(query, {});
  if (row === undefined) throw new Error('The database did not return its settings.');
  return row;
}

const readRole = defineStatement({}, () =>
  returning(
    {
      isSuperuser: present(pg.bool),
      bypassesPolicies: present(pg.bool),
      /** Whether the role is a member of the role that works for all accounts. */
      isSystem: pg.bool,
    },
    sql`
      SELECT rolsuper AS "isSuperuser", rolbypassrls AS "bypassesPolicies", pg_has_role(oid, 'postrider_system', 'MEMBER') AS "isSystem"
      FROM pg_roles WHERE rolname = current_user`,
  ),
);

const readTables = defineStatement({}, () =>
  returning(
    {
      name: pg.text,
      isPartition: pg.bool,
      isEnabled: pg.bool,
      isForced: pg.bool,
      /** Whether row-level security applies to the current role. It never applies to superusers or roles with BYPASSRLS. */
      isActive: pg.bool,
      isOwned: pg.bool,
      isReadable: pg.bool,
      /** The expressions of the policies that apply to the current role, one string per policy. */
      policies: pg.textArray,
    },
    sql`
      SELECT c.relname::text AS name, c.relispartition AS "isPartition", c.relrowsecurity AS "isEnabled", c.relforcerowsecurity AS "isForced",
        row_security_active(c.oid) AS "isActive", pg_has_role(current_user, c.relowner, 'MEMBER') AS "isOwned",
        has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE') AS "isReadable",
        ARRAY(SELECT coalesce(pg_get_expr(p.polqual, p.polrelid), 'true') || coalesce(' / ' || pg_get_expr(p.polwithcheck, p.polrelid), '')
          FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive AND EXISTS (
            SELECT FROM unnest(p.polroles) AS r WHERE r = 0 OR pg_has_role(current_user, r, 'MEMBER'))) AS policies
      FROM pg_class c
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('accounts'))
        AND (c.relname IN ('accounts', 'users')
          OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped))
      ORDER BY c.relname`,
  ),
);

/** A table that contains rows of accounts, as the role used for requests sees it. */
export type AccountTable = RowOf<typeof readTables>;

const readAccountIds = defineStatement({}, () =>
  returning({ any: pg.bool }, sql`SELECT EXISTS (SELECT FROM accounts) AS any`),
);

export type WallFacts = RowOf<typeof readRole> & {
  /** Whether the role sees any account while its transaction names one that does not exist. */
  readonly seesAccounts: boolean;
  readonly tables: readonly AccountTable[];
};

/** Reads what isolates accounts from each other, as this connection's role sees it. */
export async function readWallFacts(query: Query): Promise<WallFacts> {
  const [role] = await readRole(query, {});
  if (role === undefined) throw new Error('The database does not know the role of the connection.');
  const tables = await readTables(query, {});
  const [seen] = await readAccountIds(query, {});
  return { ...role, seesAccounts: seen?.any !== false, tables };
}
