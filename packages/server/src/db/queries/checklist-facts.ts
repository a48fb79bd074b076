import type { Query } from '../client.ts';

/** What an account has done so far. */
export interface ChecklistRow {
  readonly messageSent: boolean;
  readonly messageDelivered: boolean;
  readonly domainAdded: boolean;
  readonly domainVerified: boolean;
  readonly keyRestricted: boolean;
  readonly templateStored: boolean;
}

/** `fullScopes`: how many scopes the widest key has; one with fewer is restricted. */
export async function readChecklistFacts(query: Query, accountId: string, fullScopes: number): Promise<ChecklistRow> {
  const [row] = await query<ChecklistRow[]>`
    SELECT EXISTS (SELECT FROM messages WHERE account_id = ${accountId}) AS "messageSent",
      EXISTS (SELECT FROM messages WHERE account_id = ${accountId} AND status IN ('delivered', 'sent')) AS "messageDelivered",
      EXISTS (SELECT FROM sending_domains WHERE account_id = ${accountId} AND status <> 'removed') AS "domainAdded",
      EXISTS (SELECT FROM sending_domains WHERE account_id = ${accountId} AND is_sendable(status)) AS "domainVerified",
      EXISTS (SELECT FROM api_keys WHERE account_id = ${accountId} AND revoked_at IS NULL AND NOT is_seat
        AND cardinality(scopes) < ${fullScopes}) AS "keyRestricted",
      EXISTS (SELECT FROM templates WHERE account_id = ${accountId}) AS "templateStored"`;
  if (row === undefined) throw new Error('facts without a row');
  return row;
}
