import type { Query } from '../client.ts';

/** What is known of one recipient of an account before its message is there. */
export interface RecipientFacts {
  /** Null: the installation's setting. */
  readonly monthlyQuota: number | null;
  readonly used: number;
  readonly accountSuspended: boolean;
  readonly suppressed: boolean;
}

export interface RecipientQuestion {
  readonly accountId: string;
  /** Folded. */
  readonly email: string;
  /** The month the quota is counted in, `YYYY-MM-01`. */
  readonly month: string;
  readonly now: Date;
}

/** Asked for every RCPT command, so it is the least that answers; null where the account is gone. */
export async function readRecipientFacts(query: Query, question: RecipientQuestion): Promise<RecipientFacts | null> {
  const { accountId, email, month, now } = question;
  const [row] = await query<RecipientFacts[]>`
    SELECT a.monthly_quota AS "monthlyQuota", a.suspended_at IS NOT NULL OR a.reputation_level = 'suspended' AS "accountSuspended",
      coalesce((SELECT used FROM quota_usage WHERE account_id = a.id AND month = ${month}::date), 0) AS used,
      EXISTS (SELECT FROM suppressions WHERE account_id = a.id AND email = ${email}
        AND (expires_at IS NULL OR expires_at > ${now})) AS suppressed
    FROM accounts a WHERE a.id = ${accountId}`;
  return row ?? null;
}
