import type { ReputationLevel } from '@postrider/core';
import type { Query } from '../client.ts';

export interface ReputationRow {
  readonly accountId: string;
  readonly level: ReputationLevel;
  readonly sent: number;
  readonly bounced: number;
  readonly complained: number;
}

/** Every account with its level, and what its mail of the given days (`YYYY-MM-DD`) came to: what left the installation, and was not forgiven. */
export async function readReputations(
  query: Query,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly ReputationRow[]> {
  return await query<ReputationRow[]>`
    SELECT a.id AS "accountId", a.reputation_level AS level, r.sent, r.bounced, r.complained FROM accounts a
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(sent), 0)::int AS sent, coalesce(sum(bounced), 0)::int AS bounced, coalesce(sum(complained), 0)::int AS complained
      FROM message_rollups
      WHERE account_id = a.id AND kind = 'outbound' AND span = 1 AND day >= greatest(${from}::date, a.reputation_from) AND day <= ${to}::date) AS r`;
}

/** False where somebody else changed the level meanwhile. */
export async function changeReputation(
  query: Query,
  accountId: string,
  from: ReputationLevel,
  to: ReputationLevel,
): Promise<boolean> {
  const rows = await query`
    UPDATE accounts SET reputation_level = ${to} WHERE id = ${accountId} AND reputation_level = ${from} RETURNING 1`;
  return rows.length > 0;
}
