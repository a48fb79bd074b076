import type { Query } from '../client.ts';

/** As whom, and with which settings, a statement runs on a connection. */
export interface ConnectionFacts {
  /** Whose rights it has. */
  readonly user: string;
  /** Who connected. */
  readonly sessionUser: string;
  readonly statementTimeoutMs: number;
  readonly timeZone: string;
  readonly planCacheMode: string;
}

export async function readConnectionFacts(query: Query): Promise<ConnectionFacts> {
  const [row] = await query<ConnectionFacts[]>`
    SELECT current_user AS user, session_user AS "sessionUser", current_setting('TimeZone') AS "timeZone",
      (extract(epoch FROM current_setting('statement_timeout')::interval) * 1000)::int AS "statementTimeoutMs",
      current_setting('plan_cache_mode') AS "planCacheMode"`;
  if (row === undefined) throw new Error('The database did not say how it is set.');
  return row;
}

/** A table with rows of accounts, as the role of a request finds it. */
export interface AccountTable {
  readonly name: string;
  readonly isPartition: boolean;
  readonly isEnabled: boolean;
  readonly isForced: boolean;
  /** Whether row-level security holds for the present role: it does not for a superuser, nor for a role with BYPASSRLS. */
  readonly isActive: boolean;
  readonly isOwned: boolean;
  readonly isReadable: boolean;
  /** What the policies that hold for the present role compare, one text a policy. */
  readonly policies: readonly string[];
}

export interface WallFacts {
  readonly isSuperuser: boolean;
  readonly bypassesPolicies: boolean;
  /** Whether the role could take that of the work for all accounts. */
  readonly isSystem: boolean;
  /** Whether it sees an account although its transaction names one that does not exist. */
  readonly seesAccounts: boolean;
  readonly tables: readonly AccountTable[];
}

/** What keeps accounts apart, as the role of this connection finds it. */
export async function readWallFacts(query: Query): Promise<WallFacts> {
  const [role] = await query<Omit<WallFacts, 'tables' | 'seesAccounts'>[]>`
    SELECT rolsuper AS "isSuperuser", rolbypassrls AS "bypassesPolicies", pg_has_role(oid, 'postrider_system', 'MEMBER') AS "isSystem"
    FROM pg_roles WHERE rolname = current_user`;
  if (role === undefined) throw new Error('The database does not know the role of the connection.');
  const tables = await query<AccountTable[]>`
    SELECT c.relname AS name, c.relispartition AS "isPartition", c.relrowsecurity AS "isEnabled", c.relforcerowsecurity AS "isForced",
      row_security_active(c.oid) AS "isActive", pg_has_role(current_user, c.relowner, 'MEMBER') AS "isOwned",
      has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE') AS "isReadable",
      ARRAY(SELECT coalesce(pg_get_expr(p.polqual, p.polrelid), 'true') || coalesce(' / ' || pg_get_expr(p.polwithcheck, p.polrelid), '')
        FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive AND EXISTS (
          SELECT FROM unnest(p.polroles) AS r WHERE r = 0 OR pg_has_role(current_user, r, 'MEMBER'))) AS policies
    FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('accounts'))
      AND (c.relname IN ('accounts', 'users')
        OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped))
    ORDER BY 1`;
  const [seen] = await query<{ any: boolean }[]>`SELECT EXISTS (SELECT FROM accounts) AS any`;
  return { ...role, seesAccounts: seen?.any !== false, tables };
}
