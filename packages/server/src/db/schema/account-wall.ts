import { type PgColumn, type PgPolicy, pgPolicy, pgRole, type SQL, sql } from '../drizzle.ts';

/** The role of requests, which sees the rows of one account, and the role of code that works for all accounts. */
export const accountRole = pgRole('postrider_app').existing();
const systemRole = pgRole('postrider_system').existing();

/** The policies that `protect_account_table` creates; `column` names the account of a row. */
export function accountWall(column: Partial<PgColumn>): readonly PgPolicy[] {
  const isOwn: SQL = sql`${column} = current_account()`;
  return [pgPolicy('own_account', { to: accountRole, using: isOwn, withCheck: isOwn }), systemPolicy()];
}

export function systemPolicy(): PgPolicy {
  return pgPolicy('all_accounts', { to: systemRole, using: sql`true`, withCheck: sql`true` });
}
