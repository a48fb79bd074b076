import { randomBytes } from 'node:crypto';
import type { Query } from '../client.ts';

/**
 * The account under which the installation's own mail is sent and logged, whatever address it is sent from. No customer's log, quota, pause or
 * suppression list touches it. Not the nil account, which has the sandbox domain: workers look for what is due after it.
 */
export const POSTMASTER_ACCOUNT_ID = '00000000-0000-7000-8000-000000000001';

/** The key that such mail goes out under. Nobody has its secret, so nobody can call with it. */
export const POSTMASTER_KEY_ID = '00000000-0000-7000-8000-000000000002';

/** Starts the stored text of a sealed body. Only mail of this key is sealed, and only its mail is opened. */
export const SEALED_BODY_MARK = 'postrider-sealed:1:';

/** No account has more: what the operator sends is nobody's quota. Nor does any of it count for a reputation. */
const NO_QUOTA = 2_147_483_647;

/**
 * Makes the account that mail of the installation goes out under, where it is not there yet. Customers' accounts would be the wrong place: one
 * that is suspended or out of quota has to get its answer all the same.
 */
export async function ensurePostmasterAccount(query: Query, now: Date): Promise<void> {
  await query`
    INSERT INTO accounts (id, name, plan, monthly_quota, reputation_from, created_at)
    VALUES (${POSTMASTER_ACCOUNT_ID}, 'Postrider', 'installation', ${NO_QUOTA}, 'infinity', ${now})
    ON CONFLICT (id) DO NOTHING`;
  await query`
    INSERT INTO api_keys (account_id, id, name, mode, secret_hash, last4, scopes, created_at)
    VALUES (${POSTMASTER_ACCOUNT_ID}, ${POSTMASTER_KEY_ID}, 'Installation', 'live', ${randomBytes(32)}, '----', '{emails:send}', ${now})
    ON CONFLICT (account_id, id) DO NOTHING`;
}

/** The account that has verified this domain; null where none has. */
export async function findDomainOwner(query: Query, name: string): Promise<string | null> {
  const [row] = await query<{ accountId: string }[]>`
    SELECT account_id AS "accountId" FROM sending_domains WHERE name = ${name} AND is_sendable(status)
    ORDER BY verified_at LIMIT 1`;
  return row?.accountId ?? null;
}

/** Where whoever raised a ticket is written to: the person behind the key, or else the owner of the account; null where there is neither. */
export async function readRequesterEmail(query: Query, accountId: string, keyId: string): Promise<string | null> {
  const [row] = await query<{ email: string | null }[]>`
    SELECT coalesce(
      (SELECT m.email FROM api_keys k JOIN members m ON m.account_id = k.account_id AND m.id = k.created_by_member
        WHERE k.account_id = ${accountId} AND k.id = ${keyId} AND m.status = 'active'),
      (SELECT email FROM members WHERE account_id = ${accountId} AND role = 'owner' ORDER BY id LIMIT 1)) AS email`;
  return row?.email ?? null;
}
