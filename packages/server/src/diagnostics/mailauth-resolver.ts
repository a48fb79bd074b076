import ipaddr from 'ipaddr.js';
import type { DnsResolver, DnsResult } from '../dns/dns-resolver.ts';

/** The DNS interface of `mailauth`, which distinguishes results by the error codes of Node's resolver. */
export type MailauthResolver = (name: string, type: string) => Promise<string[][] | string[]>;

export function toMailauthResolver(dns: DnsResolver): MailauthResolver {
  return async (name, type) => {
    switch (type) {
      case 'TXT':
        return valuesOf(await dns.txt(name)).map((text) => [text]);
      case 'MX':
        // Its own type omits that mail exchangers are objects, as in Node's resolver.
        return valuesOf(await dns.mx(name)).map((record) => ({ ...record })) as unknown as string[];
      case 'A':
        return [...valuesOf(await dns.a(name))];
      case 'AAAA':
        return [...valuesOf(await dns.aaaa(name))];
      case 'CNAME':
        return [...valuesOf(await dns.cname(name))];
      case 'PTR':
        return [...valuesOf(await dns.ptr(addressOf(name)))];
      default:
        throw codedError('ENODATA', `${type} is not supported here`);
    }
  };
}

function valuesOf<Value>(response: DnsResult<Value>): readonly Value[] {
  if (response.kind === 'found') return response.values;
  if (response.kind === 'no-name') throw codedError('ENOTFOUND', 'the name does not exist');
  if (response.kind === 'no-record') throw codedError('ENODATA', 'the record does not exist');
  throw codedError('ESERVFAIL', response.reason);
}

function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** The address that a name below `in-addr.arpa` or `ip6.arpa` represents. */
function addressOf(name: string): string {
  const labels = name
    .replace(/\.(?:in-addr|ip6)\.arpa\.?$/i, '')
    .split('.')
    .reverse();
  if (labels.length === 4) return labels.join('.');
  const groups = labels.join('').match(/.{4}/g) ?? [];
  return ipaddr.IPv6.isValid(groups.join(':')) ? groups.join(':') : '::';
}
