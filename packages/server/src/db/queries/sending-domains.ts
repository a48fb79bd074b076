import type { Query } from '../client.ts';
import type { DkimAlgorithm } from '../schema/domains.ts';

export interface SigningKeyRow {
  readonly accountId: string;
  /** The key never changes under it. */
  readonly id: string;
  readonly selector: string;
  readonly algorithm: DkimAlgorithm;
  /** An envelope of the secret box. */
  readonly privateKey: Uint8Array;
  /** The host that bounces come back to: the domain of the return path. */
  readonly returnPathHost: string;
}

/** The installation's own account id: the sandbox domain is nobody's and everybody's. */
export const INSTALLATION_ACCOUNT_ID = '00000000-0000-0000-0000-000000000000';

/**
 * The DKIM keys that sign for a domain of the account, or of the installation; RSA first. None where the account may not send from it: the keys
 * of a domain that failed or was lost are kept, since it may come back, and sign nothing until then.
 */
export async function readSigningKeys(
  query: Query,
  accountId: string,
  domain: string,
): Promise<readonly SigningKeyRow[]> {
  const rows = await query<SigningKeyRow[]>`
    SELECT d.account_id AS "accountId", k.id, k.selector, k.algorithm, k.private_key AS "privateKey", d.return_path_host AS "returnPathHost"
    FROM sending_domains d
    JOIN dkim_keys k ON k.account_id = d.account_id AND k.domain_id = d.id AND k.state = 'signing'
    WHERE d.account_id IN (${accountId}, ${INSTALLATION_ACCOUNT_ID}) AND d.name = ${domain} AND is_sendable(d.status)
    ORDER BY d.account_id DESC, k.algorithm DESC`;
  return rows.filter((row) => row.accountId === rows[0]?.accountId);
}

export interface NewSendingDomain {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  readonly dkimSelector: string;
  readonly dkimPrivateKey: Uint8Array;
  readonly dkimPublicKey: string;
  /** `bounce.` and the name unless given. */
  readonly returnPathHost?: string;
  readonly now: Date;
}

/** Adds a verified domain that is never looked up; does nothing where the account has one of that name. */
export async function insertVerifiedDomain(query: Query, domain: NewSendingDomain): Promise<void> {
  await query`
    WITH added AS (
      INSERT INTO sending_domains (account_id, id, name, status, return_path_host, created_at, verified_at, status_since)
      VALUES (${domain.accountId}, ${domain.id}, ${domain.name}, 'verified', ${domain.returnPathHost ?? `bounce.${domain.name}`},
        ${domain.now}, ${domain.now}, ${domain.now})
      ON CONFLICT (account_id, name) WHERE status <> 'removed' DO NOTHING
      RETURNING account_id, id, name),
    selector AS (
      INSERT INTO dkim_selectors (account_id, name, selector) SELECT account_id, name, ${domain.dkimSelector} FROM added
      ON CONFLICT DO NOTHING)
    INSERT INTO dkim_keys (account_id, id, domain_id, algorithm, selector, private_key, public_key, state, created_at)
    SELECT account_id, id, id, 'rsa', ${domain.dkimSelector}, ${domain.dkimPrivateKey}::bytea, ${domain.dkimPublicKey}, 'signing', ${domain.now}
    FROM added`;
}

/** The names the account may send from, beside the sandbox domain. */
export async function listSendingDomains(query: Query, accountId: string): Promise<readonly string[]> {
  const rows = await query<{ name: string }[]>`
    SELECT name FROM sending_domains WHERE account_id = ${accountId} AND is_sendable(status) ORDER BY name`;
  return rows.map(({ name }) => name);
}

export interface DomainKeyRow {
  readonly name: string;
  readonly selector: string;
  readonly publicKey: string;
}

/** Name, selector and public key of one domain: what its DNS record is made of. */
export async function readDomainKey(query: Query, accountId: string, name: string): Promise<DomainKeyRow | null> {
  const [row] = await query<DomainKeyRow[]>`
    SELECT d.name, k.selector, k.public_key AS "publicKey" FROM sending_domains d
    JOIN dkim_keys k ON k.account_id = d.account_id AND k.domain_id = d.id AND k.state = 'signing' AND k.algorithm = 'rsa'
    WHERE d.account_id = ${accountId} AND d.name = ${name} AND d.status <> 'removed'`;
  return row ?? null;
}
