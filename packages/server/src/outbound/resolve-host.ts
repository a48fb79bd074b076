import type { DnsAnswer, DnsResolver } from '../dns/dns-resolver.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a host name. @throws where there is none, or nobody answers. */
export type ResolveHost = (hostname: string) => Promise<readonly HostAddress[]>;

/** Looks host names up by the DNS alone: `/etc/hosts` counts for nothing here. Errors have the codes of `node:dns`. */
export function createHostResolver(dns: DnsResolver): ResolveHost {
  return async (hostname) => {
    const [four, six] = await Promise.all([dns.a(hostname), dns.aaaa(hostname)]);
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (found.length > 0) return found;
    // A name with addresses of one family alone is usual, so a failure tells more than the other's "no record".
    throw lookupError(hostname, six.kind === 'failed' ? six : four);
  };
}

function addressesOf(answer: DnsAnswer<string>, family: 4 | 6): readonly HostAddress[] {
  return answer.kind === 'found' ? answer.values.map((address) => ({ address, family })) : [];
}

function lookupError(hostname: string, answer: DnsAnswer<string>): Error {
  const code = answer.kind === 'failed' ? 'ESERVFAIL' : answer.kind === 'no-name' ? 'ENOTFOUND' : 'ENODATA';
  const reason = answer.kind === 'failed' ? answer.reason : 'it has no address';
  return Object.assign(new Error(`${hostname}: ${reason}`), { code });
}
