import type { DnsResolver, DnsResult } from '../dns/dns-resolver.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a host name. @throws if there are none, or the lookup fails. */
export type ResolveHost = (hostname: string) => Promise<readonly HostAddress[]>;

/** Resolves host names only by DNS and ignores `/etc/hosts`. Errors have the codes of `node:dns`. */
export function createHostResolver(dns: DnsResolver): ResolveHost {
  return async (hostname) => {
    const [four, six] = await Promise.all([dns.a(hostname), dns.aaaa(hostname)]);
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (found.length > 0) return found;
    // Names with addresses of only one family are common, so a failure is more informative than the other lookup's "no record".
    throw lookupError(hostname, six.kind === 'failed' ? six : four);
  };
}

function addressesOf(response: DnsResult<string>, family: 4 | 6): readonly HostAddress[] {
  return response.kind === 'found' ? response.values.map((address) => ({ address, family })) : [];
}

function lookupError(hostname: string, response: DnsResult<string>): Error {
  const code = response.kind === 'failed' ? 'ESERVFAIL' : response.kind === 'no-name' ? 'ENOTFOUND' : 'ENODATA';
  const reason = response.kind === 'failed' ? response.reason : 'it has no address';
  return Object.assign(new Error(`${hostname}: ${reason}`), { code });
}
