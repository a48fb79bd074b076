import type { DnsAnswer, DnsResolver } from '../dns/dns-resolver.ts';
import { type AddressPolicy, refuseAddress } from '../outbound/public-address.ts';
import type { MtaSts } from './mta-sts.ts';
import { isHostInPolicy, type StsPolicy } from './mta-sts-policy.ts';
import { type MxRoute, readMxAnswer } from './mx-route.ts';
import type { SourceAddress } from './source-address.ts';

export interface DirectRouteOptions {
  readonly dns: DnsResolver;
  readonly sts: MtaSts;
  /** The name this server goes by, which must not be among the servers of others. */
  readonly ownName: string;
  /** A family without an address to send from is not used; null for both. */
  readonly sourceAddress: SourceAddress | null;
  /** Null where every address may be connected to. */
  readonly addressPolicy: AddressPolicy | null;
}

export interface DirectRoute {
  readonly mx: MxRoute;
  /** True where a policy demands TLS with a good certificate of every server. */
  readonly isVerified: boolean;
}

export type HostAddresses =
  | { readonly kind: 'found'; readonly ipv4: readonly string[]; readonly ipv6: readonly string[] }
  /** There is no address. */
  | { readonly kind: 'none'; readonly reason: string }
  /** There are addresses, of the family that we do not send from. */
  | { readonly kind: 'unused'; readonly reason: string }
  /** Nobody knows now. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** A rule of ours forbids the way. */
  | { readonly kind: 'forbidden'; readonly reason: string };

/** Looks up where the mail of a domain goes, with the MTA-STS policy of the domain applied. Never rejects. */
export async function findDirectRoute(domain: string, { dns, sts, ownName }: DirectRouteOptions): Promise<DirectRoute> {
  const [answer, policy] = await Promise.all([dns.mx(domain), sts.policyOf(domain)]);
  const mx = readMxAnswer(domain, answer, ownName);
  if (mx.kind !== 'hosts' || policy?.mode !== 'enforce') return { mx, isVerified: false };
  return { mx: keepAllowed(domain, mx, policy), isVerified: true };
}

/** RFC 8461, section 4.1: a server that the policy does not name gets nothing, and without any other the mail waits. */
function keepAllowed(domain: string, route: MxRoute & { readonly kind: 'hosts' }, policy: StsPolicy): MxRoute {
  const hosts = route.hosts.filter(({ name }) => isHostInPolicy(policy, name));
  if (hosts.length > 0) return { ...route, hosts };
  const names = route.hosts.map(({ name }) => name).slice(0, 5);
  return {
    kind: 'deferred',
    reason: `The MTA-STS policy of ${domain} allows none of its mail servers (${names.join(', ')}).`,
  };
}

/** Looks up the addresses of a mail server that may be used. Never rejects. */
export async function findHostAddresses(host: string, options: DirectRouteOptions): Promise<HostAddresses> {
  const { dns, sourceAddress, addressPolicy } = options;
  const uses4 = sourceAddress === null || sourceAddress.ipv4 !== null;
  const uses6 = sourceAddress === null || sourceAddress.ipv6 !== null;
  const [four, six] = await Promise.all([uses4 ? dns.a(host) : NOT_ASKED, uses6 ? dns.aaaa(host) : NOT_ASKED]);
  const ipv4 = four.kind === 'found' ? four.values : [];
  const ipv6 = six.kind === 'found' ? six.values : [];
  if (ipv4.length + ipv6.length === 0) {
    // Only the other family tells a server without any address from one that our own setting keeps us from.
    if (!uses4) return describeMissing(host, await dns.a(host), six, 'IPv6');
    if (!uses6) return describeMissing(host, four, await dns.aaaa(host), 'IPv4');
    return describeMissing(host, four, six, null);
  }
  // One bad address is enough: a name that mixes inside and outside is a trick or a mistake. It is not told, since who may not go inside
  // is not to learn what our name servers say of it.
  const isBad = (address: string) => addressPolicy !== null && refuseAddress(address, addressPolicy) !== null;
  if ([...ipv4, ...ipv6].some(isBad)) {
    return { kind: 'forbidden', reason: `The mail server ${host} has an address that is not public.` };
  }
  return { kind: 'found', ipv4, ipv6 };
}

const NOT_ASKED: DnsAnswer<string> = { kind: 'no-record' };

/** @param only the family that we send from, where it is one. */
function describeMissing(
  host: string,
  four: DnsAnswer<string>,
  six: DnsAnswer<string>,
  only: 'IPv4' | 'IPv6' | null,
): HostAddresses {
  const failure = [four, six].find((answer) => answer.kind === 'failed');
  if (failure?.kind === 'failed') {
    return {
      kind: 'failed',
      reason: `The address of the mail server ${host} could not be looked up: ${failure.reason}`,
    };
  }
  if (four.kind !== 'found' && six.kind !== 'found') {
    return { kind: 'none', reason: `The mail server ${host} has no address.` };
  }
  const reason = `The mail server ${host} has no ${only} address, and this server is set to send over ${only} alone.`;
  return { kind: 'unused', reason };
}
