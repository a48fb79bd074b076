import type { Query } from '../client.ts';

export interface SigningKeyRow {
  readonly selector: string;
  /** An envelope of the secret box. */
  readonly privateKey: Uint8Array;
}

/** The installation's own account id: the sandbox domain is nobody's and everybody's. */
export const INSTALLATION_ACCOUNT_ID = '00000000-0000-0000-0000-000000000000';

/** The DKIM key of a domain of the account, or of the installation. */
export async function readSigningKey(query: Query, accountId: string, domain: string): Promise<SigningKeyRow | null> {
  const [row] = await query<SigningKeyRow[]>`
    SELECT dkim_selector AS selector, dkim_private_key AS "privateKey" FROM sending_domains
    WHERE account_id IN (${accountId}, ${INSTALLATION_ACCOUNT_ID}) AND name = ${domain} AND status <> 'removed'
    ORDER BY account_id DESC LIMIT 1`;
  return row ?? null;
}

export interface NewSendingDomain {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  readonly dkimSelector: string;
  readonly dkimPrivateKey: Uint8Array;
  readonly dkimPublicKey: string;
  readonly now: Date;
}

/** Adds a verified domain; does nothing where the account has one of that name. */
export async function insertVerifiedDomain(query: Query, domain: NewSendingDomain): Promise<void> {
  await query`
    INSERT INTO sending_domains (account_id, id, name, status, dkim_selector, dkim_private_key, dkim_public_key, created_at, verified_at)
    VALUES (${domain.accountId}, ${domain.id}, ${domain.name}, 'verified', ${domain.dkimSelector}, ${domain.dkimPrivateKey},
      ${domain.dkimPublicKey}, ${domain.now}, ${domain.now})
    ON CONFLICT (account_id, name) DO NOTHING`;
}

/** The names the account may send from, beside the sandbox domain. */
export async function listSendingDomains(query: Query, accountId: string): Promise<readonly string[]> {
  const rows = await query<{ name: string }[]>`
    SELECT name FROM sending_domains WHERE account_id = ${accountId} AND status IN ('verified', 'degraded') ORDER BY name`;
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
    SELECT name, dkim_selector AS selector, dkim_public_key AS "publicKey" FROM sending_domains
    WHERE account_id = ${accountId} AND name = ${name} AND status <> 'removed'`;
  return row ?? null;
}
