import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { suppressions } from '../schema/suppressions.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { IS_SUSPENDED } from './account-suspension.ts';

const readFacts = defineStatement(
  {
    ...{ accountId: accounts.id, email: suppressions.email },
    ...{ month: value<string>(), monthlyQuota: value<number>(), now: value<Date>() },
  },
  ({ accountId, email, month, monthlyQuota, now }) =>
    returning(
      { quota: pg.int4, accountSuspended: pg.bool, used: pg.int4, suppressed: pg.bool },
      sql`
    SELECT quota_of(a.monthly_quota, ${monthlyQuota}) AS quota, ${IS_SUSPENDED} AS "accountSuspended",
      coalesce((SELECT used FROM quota_usage WHERE account_id = a.id AND month = ${month}::date), 0) AS used,
      EXISTS (SELECT FROM suppressions WHERE account_id = a.id AND email = ${email}
        AND is_suppressing(expires_at, ${now})) AS suppressed
    FROM accounts a WHERE a.id = ${accountId}`,
    ),
);

/** What is known about one recipient of an account before its message arrives. */
export type RecipientFacts = RowOf<typeof readFacts>;

export interface RecipientQuestion {
  readonly accountId: string;
  /** Folded. */
  readonly email: string;
  /** The month of the quota, `YYYY-MM-01`. */
  readonly month: string;
  /** The quota of accounts without their own. */
  readonly monthlyQuota: number;
  readonly now: Date;
}

/** Reads as little as possible, because every RCPT command calls it. Null if the account is gone. */
export async function readRecipientFacts(query: Query, question: RecipientQuestion): Promise<RecipientFacts | null> {
  const [row] = await readFacts(query, question);
  return row ?? null;
}
