import { createPrivateKey } from 'node:crypto';
import type { Sql } from '../db/client.ts';
import { findDomainOwner, POSTMASTER_ACCOUNT_ID } from '../db/queries/postmaster-account.ts';
import { readSigningKeys, type SigningKeyRow } from '../db/queries/sending-domains.ts';
import type { DkimAlgorithm } from '../db/schema/domains.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import type { DkimKey } from '../mime/dkim-sign.ts';

/** As whom mail from a domain leaves. */
export interface SigningIdentity {
  /** One or more; each makes a signature of its own. */
  readonly keys: readonly DkimKey[];
  /** The host of the return path, to which bounces come back. */
  readonly returnPathHost: string;
}

/** Finds what a domain's mail is signed with; parsing a key costs as much as signing, so parsed ones are kept. */
export interface SigningKeys {
  /** Null where the account may not send from the domain now: it is not verified, failed, removed, or another account's by now. */
  find(accountId: string, domain: string): Promise<SigningIdentity | null>;
}

/**
 * A domain that was lost signs nothing longer than this. Who holds a name is decided in any process, so only the database knows; a question a
 * second and domain costs nothing beside signatures.
 */
const KEEP_MS = 1_000;
/** Then all are forgotten, so that domains that send no more do not add up. */
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

  /** The installation's own mail is signed by the account that has verified the domain. */
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
      // That there is none is not remembered: a domain that was just restored must not fail mail for it.
      identity.then(
        (found) => found === null && cache.delete(name),
        () => cache.delete(name),
      );
      return identity;
    },
  };
}
