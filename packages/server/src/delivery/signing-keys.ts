import { createPrivateKey } from 'node:crypto';
import type { Sql } from '../db/client.ts';
import { findDomainOwner, POSTMASTER_ACCOUNT_ID } from '../db/queries/postmaster-account.ts';
import { readSigningKeys, type SigningKeyRow } from '../db/queries/sending-domains.ts';
import type { DkimAlgorithm } from '../db/schema/domains.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import type { DkimKey } from '../mime/dkim-sign.ts';

/** The identity used to send mail from a domain. */
export interface SigningIdentity {
  /** One or more. Each makes a separate signature. */
  readonly keys: readonly DkimKey[];
  /** The host of the return path, which receives bounces. */
  readonly returnPathHost: string;
}

/** Finds the keys that sign a domain's mail. Parsing a key costs as much as signing, so parsed keys are cached. */
export interface SigningKeys {
  /** Null if the account may not send from the domain now: it is unverified, failed, removed, or belongs to another account. */
  find(accountId: string, domain: string): Promise<SigningIdentity | null>;
}

/**
 * A lost domain signs nothing after this time. Any process can change who owns a name, so only the database knows. One
 * query per second and domain costs nothing compared with signatures.
 */
const KEEP_MS = 1_000;
/** All entries are dropped at this size, so that domains that no longer send do not accumulate. */
const MAX_KEPT = 10_000;

const SIGNATURE_ALGORITHMS: Readonly<Record<DkimAlgorithm, DkimKey['algorithm']>> = {
  rsa: 'rsa-sha256',
  ed25519: 'ed25519-sha256',
};

export function createSigningKeys(sql: Sql, secrets: SecretBox, now: () => Date): SigningKeys {
  const cache = new Map<string, { readonly identity: Promise<SigningIdentity | null>; readonly until: number }>();
  const parsed = new Map<string, DkimKey['privateKey']>();

  function parse({ id, privateKey }: SigningKeyRow): DkimKey['privateKey'] {
    const known = parsed.get(id);
    if (known !== undefined) return known;
    const key = createPrivateKey(secrets.open(privateKey));
    if (parsed.size >= MAX_KEPT) parsed.clear();
    parsed.set(id, key);
    return key;
  }

  /** The installation's own mail is signed as the account that has verified the domain. */
  async function signerOf(accountId: string, domain: string): Promise<string> {
    return accountId === POSTMASTER_ACCOUNT_ID ? ((await findDomainOwner(sql, domain)) ?? accountId) : accountId;
  }

  async function load(accountId: string, domain: string): Promise<SigningIdentity | null> {
    const rows = await readSigningKeys(sql, await signerOf(accountId, domain), domain);
    const [first] = rows;
    if (first === undefined) return null;
    const keys = rows.map((row) => ({
      domain,
      selector: row.selector,
      privateKey: parse(row),
      algorithm: SIGNATURE_ALGORITHMS[row.algorithm],
    }));
    return { keys, returnPathHost: first.returnPathHost };
  }

  return {
    find(accountId, domain) {
      const name = `${accountId} ${domain}`;
      const cached = cache.get(name);
      if (cached !== undefined && cached.until > now().getTime()) return cached.identity;
      if (cache.size >= MAX_KEPT) cache.clear();
      const identity = load(accountId, domain);
      cache.set(name, { identity, until: now().getTime() + KEEP_MS });
      // A missing domain is not cached: a domain that was just restored must not fail its mail.
      identity.then(
        (found) => found === null && cache.delete(name),
        () => cache.delete(name),
      );
      return identity;
    },
  };
}
