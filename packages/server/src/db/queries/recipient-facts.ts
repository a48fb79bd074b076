import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { arraysOf, columnNames, toArrays, unnested } from '../record-columns.ts';
import { nullable, pg, type ResultRow, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { suppressions } from '../schema/suppressions.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { IS_SUSPENDED } from './account-suspension.ts';

const QUESTION = { accountId: accounts.id, email: suppressions.email };

const readFacts = defineStatement(
  { ...arraysOf(QUESTION), month: value<string>(), monthlyQuota: value<number>(), now: value<Date>() },
  ({ accountId, email, month, monthlyQuota, now }) =>
    returning(
      { quota: pg.int4, accountSuspended: nullable(pg.bool), used: pg.int4, suppressed: pg.bool },
      sql`
    SELECT quota_of(a.monthly_quota, ${monthlyQuota}) AS quota, ${IS_SUSPENDED} AS "accountSuspended",
      coalesce((SELECT used FROM quota_usage WHERE account_id = a.id AND month = ${month}::date), 0) AS used,
      EXISTS (SELECT FROM suppressions WHERE account_id = q."accountId" AND email = q.email
        AND is_suppressing(expires_at, ${now})) AS suppressed
    FROM ${unnested(QUESTION, { accountId, email })} WITH ORDINALITY AS q (${columnNames(QUESTION)}, o)
    LEFT JOIN accounts a ON a.id = q."accountId"
    ORDER BY q.o`,
    ),
);

/** What is known about one recipient of an account before its message arrives. */
export type RecipientFacts = RowOf<typeof readFacts>;

/** A recipient of an account; the address is folded. */
export type RecipientQuestion = ResultRow<typeof QUESTION>;

export interface RecipientFactOptions {
  /** The month of the quota, `YYYY-MM-01`. */
  readonly month: string;
  /** The quota of accounts without their own. */
  readonly monthlyQuota: number;
  readonly now: Date;
}

/**
 * Reads as little as possible, because every RCPT command needs it. Returns the facts in the order of the questions. If the
 * account no longer exists, `accountSuspended` is null.
 */
export async function readRecipientFacts(
  query: Query,
  questions: readonly RecipientQuestion[],
  options: RecipientFactOptions,
): Promise<readonly RecipientFacts[]> {
  return await readFacts(query, { ...toArrays(QUESTION, questions), ...options });
}
