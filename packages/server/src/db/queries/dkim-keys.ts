import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { executing } from '../result.ts';
import { dkimKeys, dkimSelectors } from '../schema/domains.ts';
import { defineStatement, type GivenOf, value } from '../statement.ts';

type Key = typeof dkimKeys.$inferSelect;

export interface NewDkimKey
  extends Pick<Key, 'accountId' | 'id' | 'domainId' | 'algorithm' | 'selector' | 'publicKey'> {
  /** Encrypted by the secret box. */
  readonly privateKey: Uint8Array;
  readonly state: Exclude<Key['state'], 'retired'>;
  readonly now: Date;
}

const insert = defineStatement(
  {
    accountId: dkimKeys.accountId,
    id: dkimKeys.id,
    domainId: dkimKeys.domainId,
    algorithm: dkimKeys.algorithm,
    selector: dkimKeys.selector,
    privateKey: value<Uint8Array>(),
    publicKey: dkimKeys.publicKey,
    state: dkimKeys.state,
    now: dkimKeys.createdAt,
  },
  (key) =>
    executing(sql`
      WITH added AS (
        INSERT INTO dkim_keys (account_id, id, domain_id, algorithm, selector, private_key, public_key, state, created_at)
        VALUES (${key.accountId}, ${key.id}, ${key.domainId}, ${key.algorithm}, ${key.selector}, ${key.privateKey}, ${key.publicKey},
          ${key.state}, ${key.now})
        RETURNING account_id, domain_id, selector)
      INSERT INTO dkim_selectors (account_id, name, selector, made_at)
      SELECT a.account_id, d.name, a.selector, ${key.now} FROM added a
      JOIN sending_domains d ON d.account_id = a.account_id AND d.id = a.domain_id`),
);

/** Adds keys to an existing domain. The domain name keeps a record of their selectors even after the keys are deleted. */
export async function insertDkimKeys(query: Query, keys: readonly NewDkimKey[]): Promise<void> {
  for (const key of keys) await insert(query, key);
}

const readSelectors = defineStatement(
  { accountId: dkimSelectors.accountId, name: dkimSelectors.name },
  ({ accountId, name }) =>
    builder
      .select(named({ selector: dkimSelectors.selector }))
      .from(dkimSelectors)
      .where(and(eq(dkimSelectors.accountId, accountId), eq(dkimSelectors.name, name))),
);

/** The selectors that the account's keys have used at a name, in any of its domains. */
export async function readUsedSelectors(query: Query, accountId: string, name: string): Promise<ReadonlySet<string>> {
  const rows = await readSelectors(query, { accountId, name });
  return new Set(rows.map(({ selector }) => selector));
}

const ID = { accountId: dkimKeys.accountId, id: dkimKeys.id };

function isKey({ accountId, id }: GivenOf<typeof ID>) {
  return and(eq(dkimKeys.accountId, accountId), eq(dkimKeys.id, id));
}

const remove = defineStatement(ID, (key) =>
  builder.delete(dkimKeys).where(and(isKey(key), eq(dkimKeys.state, sql`'waiting'`))),
);

/** Deletes a key that never signed. */
export async function deleteKey(query: Query, accountId: string, id: string): Promise<void> {
  await remove(query, { accountId, id });
}

const retire = defineStatement({ ...ID, now: dkimKeys.retiredAt }, ({ now, ...key }) =>
  builder.update(dkimKeys).set({ state: 'retired', privateKey: null, retiredAt: now }).where(isKey(key)),
);

/** Deletes the private half of a key that no longer signs; the public half stays listed. */
export async function retireKey(query: Query, accountId: string, id: string, now: Date): Promise<void> {
  await retire(query, { accountId, id, now });
}

const setState = defineStatement({ ...ID, state: dkimKeys.state }, ({ state, ...key }) =>
  builder.update(dkimKeys).set({ state }).where(isKey(key)),
);

export async function setKeyState(
  query: Query,
  accountId: string,
  id: string,
  state: 'waiting' | 'signing',
): Promise<void> {
  await setState(query, { accountId, id, state });
}

const forgetRetired = defineStatement(
  { accountId: dkimKeys.accountId, domainId: dkimKeys.domainId, keep: value<number>() },
  ({ accountId, domainId, keep }) =>
    executing(sql`
      DELETE FROM dkim_keys WHERE account_id = ${accountId} AND id IN (
        SELECT id FROM dkim_keys WHERE account_id = ${accountId} AND domain_id = ${domainId} AND state = 'retired'
        ORDER BY retired_at DESC, id DESC OFFSET ${keep})`),
);

/** Deletes retired keys of a domain, except for the newest `keep`. */
export async function forgetRetiredKeys(
  query: Query,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  keep: number,
): Promise<void> {
  await forgetRetired(query, { accountId, domainId: id, keep });
}
