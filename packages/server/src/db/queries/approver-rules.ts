import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { users } from '../schema/users.ts';
import { defineStatement, value } from '../statement.ts';

const readRules = defineStatement(
  { accountId: accounts.id, keyIds: value<readonly string[]>() },
  ({ accountId, keyIds }) =>
    returning(
      { needsPasskey: pg.bool },
      sql`
        SELECT a.approvals_need_passkey OR EXISTS (SELECT FROM api_keys k
          WHERE k.account_id = a.id AND k.id = ANY (${keyIds}::uuid[]) AND k.approvals_need_passkey) AS "needsPasskey"
        FROM accounts a WHERE a.id = ${accountId}`,
    ),
);

/** Whether approvals of what these keys send need a passkey, by the rules of the account or of one of the keys. */
export async function needsPasskey(query: Query, accountId: string, keyIds: readonly string[]): Promise<boolean> {
  const [row] = await readRules(query, { accountId, keyIds: [...new Set(keyIds)] });
  // An account that is gone has nothing to approve.
  return row?.needsPasskey ?? true;
}

/** Whether an account, or one of its keys in use, has the rule. */
const ANY_RULE = sql`(a.approvals_need_passkey OR EXISTS (SELECT FROM api_keys k
  WHERE k.account_id = a.id AND k.approvals_need_passkey AND k.revoked_at IS NULL))`;

const readAny = defineStatement({ accountId: accounts.id }, ({ accountId }) =>
  returning({ isNeeded: pg.bool }, sql`SELECT ${ANY_RULE} AS "isNeeded" FROM accounts a WHERE a.id = ${accountId}`),
);

/** Whether some approvals of the account need a passkey. */
export async function someNeedPasskey(query: Query, accountId: string): Promise<boolean> {
  const [row] = await readAny(query, { accountId });
  return row?.isNeeded ?? true;
}

const readOfUser = defineStatement({ userId: users.id }, ({ userId }) =>
  returning(
    { isNeeded: pg.bool },
    sql`
      SELECT EXISTS (SELECT FROM members m JOIN accounts a ON a.id = m.account_id
        WHERE m.user_id = ${userId} AND m.status = 'active' AND m.role IN ('owner', 'admin', 'approver') AND ${ANY_RULE}) AS "isNeeded"`,
  ),
);

/** Whether the passkeys of a user approve something in one of the user's accounts. */
export async function approvesWithPasskey(query: Query, userId: string): Promise<boolean> {
  const [row] = await readOfUser(query, { userId });
  return row?.isNeeded ?? true;
}
