import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { executing, present, returning } from '../result.ts';
import { dkimKeys, sendingDomains } from '../schema/domains.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/** The installation's own account id, whose sandbox domain every account shares. */
export const INSTALLATION_ACCOUNT_ID = '00000000-0000-0000-0000-000000000000';

const NAME = { accountId: sendingDomains.accountId, name: sendingDomains.name };

const readKeys = defineStatement(NAME, ({ accountId, name }) =>
  returning(
    {
      accountId: sendingDomains.accountId,
      /** The key with this id never changes. */
      id: dkimKeys.id,
      selector: dkimKeys.selector,
      algorithm: dkimKeys.algorithm,
      /** An envelope of the secret box. */
      privateKey: present(dkimKeys.privateKey),
      /** The host that receives bounces: the domain of the return path. */
      returnPathHost: sendingDomains.returnPathHost,
    },
    sql`
      SELECT d.account_id AS "accountId", k.id, k.selector, k.algorithm, k.private_key AS "privateKey", d.return_path_host AS "returnPathHost"
      FROM sending_domains d
      JOIN dkim_keys k ON k.account_id = d.account_id AND k.domain_id = d.id AND k.state = 'signing'
      WHERE d.account_id IN (${accountId}, ${INSTALLATION_ACCOUNT_ID}) AND d.name = ${name} AND is_sendable(d.status)
      ORDER BY d.account_id DESC, k.algorithm DESC`,
  ),
);

export type SigningKeyRow = RowOf<typeof readKeys>;

/**
 * The DKIM keys that sign for a domain of the account or of the installation, RSA first. None if the account may not send from it: the keys
 * of a failed or lost domain are kept, since it may come back, but sign nothing until then.
 */
export async function readSigningKeys(
  query: Query,
  accountId: string,
  domain: string,
): Promise<readonly SigningKeyRow[]> {
  const rows = await readKeys(query, { accountId, name: domain });
  return rows.filter((row) => row.accountId === rows[0]?.accountId);
}

const insertVerified = defineStatement(
  {
    ...NAME,
    id: sendingDomains.id,
    returnPathHost: sendingDomains.returnPathHost,
    dkimSelector: dkimKeys.selector,
    dkimPrivateKey: value<Uint8Array>(),
    dkimPublicKey: dkimKeys.publicKey,
    now: sendingDomains.createdAt,
  },
  ({ accountId, id, name, returnPathHost, dkimSelector, dkimPrivateKey, dkimPublicKey, now }) =>
    executing(sql`
      WITH added AS (
        INSERT INTO sending_domains (account_id, id, name, status, return_path_host, created_at, verified_at, status_since)
        VALUES (${accountId}, ${id}, ${name}, 'verified', ${returnPathHost}, ${now}, ${now}, ${now})
        ON CONFLICT (account_id, name) WHERE status <> 'removed' DO NOTHING
        RETURNING account_id, id, name),
      selector AS (
        INSERT INTO dkim_selectors (account_id, name, selector) SELECT account_id, name, ${dkimSelector} FROM added
        ON CONFLICT DO NOTHING)
      INSERT INTO dkim_keys (account_id, id, domain_id, algorithm, selector, private_key, public_key, state, created_at)
      SELECT account_id, id, id, 'rsa', ${dkimSelector}, ${dkimPrivateKey}::bytea, ${dkimPublicKey}, 'signing', ${now} FROM added`),
);

type NewSendingDomain = Omit<Parameters<typeof insertVerified>[1], 'returnPathHost'> & {
  /** `bounce.` and the name unless given. */
  readonly returnPathHost?: string;
};

/** Adds a verified domain whose records are never looked up; does nothing if the account has one with that name. */
export async function insertVerifiedDomain(
  query: Query,
  { returnPathHost, ...domain }: NewSendingDomain,
): Promise<void> {
  await insertVerified(query, { ...domain, returnPathHost: returnPathHost ?? `bounce.${domain.name}` });
}

const list = defineStatement({ accountId: sendingDomains.accountId }, ({ accountId }) =>
  builder
    .select(named({ name: sendingDomains.name }))
    .from(sendingDomains)
    .where(and(eq(sendingDomains.accountId, accountId), sql`is_sendable(${sendingDomains.status})`))
    .orderBy(sendingDomains.name),
);

/** The names that the account may send from, besides the sandbox domain. */
export async function listSendingDomains(query: Query, accountId: string): Promise<readonly string[]> {
  const rows = await list(query, { accountId });
  return rows.map(({ name }) => name);
}

const readKey = defineStatement(NAME, ({ accountId, name }) =>
  returning(
    { name: sendingDomains.name, selector: dkimKeys.selector, publicKey: dkimKeys.publicKey },
    sql`
      SELECT d.name, k.selector, k.public_key AS "publicKey" FROM sending_domains d
      JOIN dkim_keys k ON k.account_id = d.account_id AND k.domain_id = d.id AND k.state = 'signing' AND k.algorithm = 'rsa'
      WHERE d.account_id = ${accountId} AND d.name = ${name} AND d.status <> 'removed'`,
  ),
);

/** The name, selector and public key of one domain, which make up its DNS record. */
export async function readDomainKey(
  query: Query,
  accountId: string,
  name: string,
): Promise<RowOf<typeof readKey> | null> {
  const [row] = await readKey(query, { accountId, name });
  return row ?? null;
}
