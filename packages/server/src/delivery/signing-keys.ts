import { createPrivateKey } from 'node:crypto';
import type { Sql } from '../db/client.ts';
import { readSigningKey } from '../db/queries/sending-domains.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import type { DkimKey } from './dkim-sign.ts';

/** Finds the key a domain's mail is signed with; parsing a key costs as much as signing, so parsed ones are kept. */
export interface SigningKeys {
  /** Null where the account (or the installation, for the sandbox) has no such domain any more. */
  find(accountId: string, domain: string): Promise<DkimKey | null>;
}

/** Long enough to cost nothing, short enough that a rotated key is taken up without a restart. */
const KEEP_MS = 60_000;
/** Then all are forgotten, so that domains that send no more do not add up. */
const MAX_KEPT = 10_000;

export function createSigningKeys(sql: Sql, secrets: SecretBox, now: () => Date): SigningKeys {
  const cache = new Map<string, { readonly key: Promise<DkimKey | null>; readonly until: number }>();

  async function load(accountId: string, domain: string): Promise<DkimKey | null> {
    const row = await readSigningKey(sql, accountId, domain);
    if (row === null) return null;
    const privateKey = createPrivateKey(secrets.open(row.privateKey));
    return { domain, selector: row.selector, privateKey, algorithm: 'rsa-sha256' };
  }

  return {
    find(accountId, domain) {
      const name = `${accountId} ${domain}`;
      const cached = cache.get(name);
      if (cached !== undefined && cached.until > now().getTime()) return cached.key;
      if (cache.size >= MAX_KEPT) cache.clear();
      const key = load(accountId, domain);
      cache.set(name, { key, until: now().getTime() + KEEP_MS });
      key.catch(() => cache.delete(name));
      return key;
    },
  };
}
