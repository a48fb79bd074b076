import { randomBytes } from 'node:crypto';
import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { nullable, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { sendingDomains } from '../schema/domains.ts';
import { apiKeys } from '../schema/keys.ts';
import { members } from '../schema/users.ts';
import { defineStatement } from '../statement.ts';
import { ownerEmailOf } from './users.ts';

/**
 * The account under which the installation's own mail is sent and logged, whatever address it is sent from. It does not affect any
 * customer's log, quota, pause or suppression list. It differs from the nil account, which has the sandbox domain, because workers look for
 * due deliveries of accounts after the nil id.
 */
export const POSTMASTER_ACCOUNT_ID = '00000000-0000-7000-8000-000000000001';

/** The key that such mail is issued under. No one has its secret, so no one can call with it. */
export const POSTMASTER_KEY_ID = '00000000-0000-7000-8000-000000000002';

/** The prefix of the stored text of a sealed body. Only mail of this key is sealed, and only its mail is opened. */
export const SEALED_BODY_MARK = 'postrider-sealed:1:';

/** The highest quota that an account can have: the operator's mail counts toward no customer's quota or reputation. */
const NO_QUOTA = 2_147_483_647;

const addAccount = defineStatement({ now: accounts.createdAt }, ({ now }) =>
  builder
    .insert(accounts)
    .values({
      ...{ id: POSTMASTER_ACCOUNT_ID, name: 'Postrider', plan: 'installation', monthlyQuota: NO_QUOTA },
      ...{ reputationFrom: sql`'infinity'`, createdAt: now },
    })
    .onConflictDoNothing({ target: accounts.id }),
);

const addKey = defineStatement({ hash: apiKeys.secretHash, now: apiKeys.createdAt }, ({ hash, now }) =>
  builder
    .insert(apiKeys)
    .values({
      ...{ accountId: POSTMASTER_ACCOUNT_ID, id: POSTMASTER_KEY_ID, name: 'Installation', mode: 'live' },
      ...{ secretHash: hash, last4: '----', scopes: ['emails:send'], createdAt: now },
    })
    .onConflictDoNothing({ target: [apiKeys.accountId, apiKeys.id] }),
);

/**
 * Creates the account for mail of the installation if it does not exist. A customer's account would not do: one that is suspended or out of
 * quota must still get its replies.
 */
export async function ensurePostmasterAccount(query: Query, now: Date): Promise<void> {
  await addAccount(query, { now });
  await addKey(query, { hash: randomBytes(32), now });
}

const findOwner = defineStatement({ name: sendingDomains.name }, ({ name }) =>
  builder
    .select(named({ accountId: sendingDomains.accountId }))
    .from(sendingDomains)
    .where(and(eq(sendingDomains.name, name), sql`is_sendable(${sendingDomains.status})`))
    .orderBy(sendingDomains.verifiedAt)
    .limit(1),
);

/** The account that has verified this domain; null if none has. */
export async function findDomainOwner(query: Query, name: string): Promise<string | null> {
  const [row] = await findOwner(query, { name });
  return row?.accountId ?? null;
}

const readRequester = defineStatement({ accountId: apiKeys.accountId, keyId: apiKeys.id }, ({ accountId, keyId }) =>
  returning(
    { email: nullable(members.email) },
    sql`
      SELECT coalesce(
        (SELECT m.email FROM api_keys k JOIN members m ON m.account_id = k.account_id AND m.id = k.created_by_member
          WHERE k.account_id = ${accountId} AND k.id = ${keyId} AND m.status = 'active'),
        ${ownerEmailOf(accountId)}) AS email`,
  ),
);

/** The address of a ticket's requester: the user behind the key, otherwise the owner of the account. Null if there is neither. */
export async function readRequesterEmail(query: Query, accountId: string, keyId: string): Promise<string | null> {
  const [row] = await readRequester(query, { accountId, keyId });
  return row?.email ?? null;
}
