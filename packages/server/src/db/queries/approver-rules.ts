import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { narrowed, pg, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { apiKeys } from '../schema/keys.ts';
import { users } from '../schema/users.ts';
import { defineStatement, value } from '../statement.ts';
import { DECIDES } from './deciding-members.ts';

const readRules = defineStatement(
  { accountId: accounts.id, keyIds: value<readonly string[]>() },
  ({ accountId, keyIds }) =>
    returning(
      { requirePasskey: pg.bool, count: pg.int4, lists: narrowed<readonly (readonly string[])[]>(pg.json) },
      sql`
        SELECT a.approvals_need_passkey OR coalesce(bool_or(k.approvals_need_passkey), false) AS "requirePasskey",
          greatest(a.approvals_needed, max(k.approvals_needed)) AS count,
          coalesce(json_agg(k.approver_ids) FILTER (WHERE k.approver_ids IS NOT NULL), '[]') AS lists
        FROM accounts a LEFT JOIN api_keys k ON k.account_id = a.id AND k.id = ANY (${keyIds}::uuid[])
        WHERE a.id = ${accountId} GROUP BY a.id`,
    ),
);

/** Who approves, how many of them, and how they prove it. */
export interface ApproverRules {
  readonly requirePasskey: boolean;
  readonly count: number;
  /** Null: every member whose role decides. */
  readonly memberIds: readonly string[] | null;
}

/** The rules for approvals of what these keys send: the strictest of those of the account and of each key. */
export async function readApproverRules(
  query: Query,
  accountId: string,
  keyIds: readonly string[],
): Promise<ApproverRules> {
  const [row] = await readRules(query, { accountId, keyIds: [...new Set(keyIds)] });
  // An account that is gone has nothing to approve.
  if (row === undefined) return { requirePasskey: true, count: 1, memberIds: [] };
  const [first, ...others] = row.lists;
  const memberIds = first?.filter((id) => others.every((list) => list.includes(id))) ?? null;
  return { requirePasskey: row.requirePasskey, count: row.count, memberIds };
}

/** Whether approvals of what these keys send need a passkey, by the rules of the account or of one of the keys. */
export async function needsPasskey(query: Query, accountId: string, keyIds: readonly string[]): Promise<boolean> {
  return (await readApproverRules(query, accountId, keyIds)).requirePasskey;
}

const readAble = defineStatement(
  { accountId: accounts.id, memberIds: value<readonly string[] | null>() },
  ({ accountId, memberIds }) =>
    returning(
      { ids: narrowed<readonly string[]>(pg.json) },
      sql`
        SELECT coalesce(json_agg(members.id ORDER BY members.id), '[]') AS ids FROM members
        WHERE members.account_id = ${accountId} AND ${DECIDES}
          AND (${memberIds}::uuid[] IS NULL OR members.id = ANY (${memberIds}::uuid[]))`,
    ),
);

/** Which of these members may decide now. Without a list, which members of the account may. */
export async function readAbleApprovers(
  query: Query,
  accountId: string,
  memberIds: readonly string[] | null,
): Promise<readonly string[]> {
  const [row] = await readAble(query, { accountId, memberIds });
  return row?.ids ?? [];
}

const readFewer = defineStatement({ accountId: accounts.id, count: value<number>() }, ({ accountId, count }) =>
  returning(
    { name: apiKeys.name },
    sql`
      SELECT name FROM api_keys
      WHERE account_id = ${accountId} AND revoked_at IS NULL AND cardinality(approver_ids) < ${count}::integer ORDER BY id`,
  ),
);

/** The keys in use that name fewer approvers than this. */
export async function readKeysWithFewer(
  query: Query,
  accountId: string,
  count: number,
): Promise<readonly { readonly name: string }[]> {
  return await readFewer(query, { accountId, count });
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
        WHERE m.user_id = ${userId} AND m.status = 'active' AND ${ANY_RULE}) AS "isNeeded"`,
  ),
);

/**
 * Whether the passkeys of a user approve something in one of the user's accounts, or would with another role: a role that was taken away may
 * be given back.
 */
export async function approvesWithPasskey(query: Query, userId: string): Promise<boolean> {
  const [row] = await readOfUser(query, { userId });
  return row?.isNeeded ?? true;
}

const readOfSeats = defineStatement({ userId: users.id }, ({ userId }) =>
  returning(
    { isNeeded: pg.bool },
    sql`
      SELECT EXISTS (SELECT FROM users u JOIN members m ON m.user_id = u.id OR lower(m.email) = lower(u.email)
        JOIN accounts a ON a.id = m.account_id WHERE u.id = ${userId} AND ${ANY_RULE}) AS "isNeeded"`,
  ),
);

/** As above, or in an account that has invited the user: the next sign-in accepts that, also with the passkey that is added now. */
export async function couldApproveWithPasskey(query: Query, userId: string): Promise<boolean> {
  const [row] = await readOfSeats(query, { userId });
  return row?.isNeeded ?? true;
}
