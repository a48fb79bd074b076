import type { DnsResolver, DnsResult } from '../dns/dns-resolver.ts';
import { type AddressPolicy, refuseAddress } from '../outbound/public-address.ts';
import type { MtaSts } from './mta-sts.ts';
import { isHostInPolicy, type StsPolicy } from './mta-sts-policy.ts';
import { type MxRoute, readMxResult } from './mx-route.ts';
import type { SourceAddress } from './source-address.ts';

export interface DirectRouteOptions {
  readonly dns: DnsResolver;
  readonly sts: MtaSts;
  /** The name of this server, which must not be among the mail servers of other domains. */
  readonly ownName: string;
  /** A family without a source address is not used. Null means both families are used. */
  readonly sourceAddress: SourceAddress | null;
  /** Null means that every address is allowed. */
  readonly addressPolicy: AddressPolicy | null;
}

export interface DirectRoute {
  readonly mx: MxRoute;
  /** True if a policy requires TLS with a valid certificate from every server. */
  readonly isVerified: boolean;
}

export type HostAddresses =
  | { readonly kind: 'found'; readonly ipv4: readonly string[]; readonly ipv6: readonly string[] }
  /** There is no address. */
  | { readonly kind: 'none'; readonly reason: string }
  /** There are addresses, but only of the family that we do not send from. */
  | { readonly kind: 'unused'; readonly reason: string }
  /** The lookup failed, so the result is unknown. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** One of our rules does not allow this address. */
  | { readonly kind: 'forbidden'; readonly reason: string };

/** Looks up where to send a domain's mail, and applies the domain's MTA-STS policy. Never rejects. */
export async function findDirectRoute(domain: string, { dns, sts, ownName }: DirectRouteOptions): Promise<DirectRoute> {
  const [response, policy] = await Promise.all([dns.mx(domain), sts.policyOf(domain)]);
  const mx = readMxResult(domain, response, ownName);
  if (mx.kind !== 'hosts' || policy?.mode !== 'enforce') return { mx, isVerified: false };
  return { mx: keepAllowed(domain, mx, policy), isVerified: true };
}

/** RFC 8461, section 4.1: a server that the policy does not list gets nothing. If no other server remains, the mail waits. */
function keepAllowed(domain: string, route: MxRoute & { readonly kind: 'hosts' }, policy: StsPolicy): MxRoute {
  const hosts = route.hosts.filter(({ name }) => isHostInPolicy(policy, name));
  if (hosts.length > 0) return { ...route, hosts };
  const names = route.hosts.map(({ name }) => name).slice(0, 5);
  return {
    kind: 'deferred',
    reason: `The MTA-STS policy of ${domain} allows none of its mail servers (${names.join(', ')}).`,
  };
}

/** Looks up the usable addresses of a mail server. Never rejects. */
export async function findHostAddresses(host: string, options: DirectRouteOptions): Promise<HostAddresses> {
  const { dns, sourceAddress, addressPolicy } = options;
  const uses4 = sourceAddress === null || sourceAddress.ipv4 !== null;
  const uses6 = sourceAddress === null || sourceAddress.ipv6 !== null;
  const [four, six] = await Promise.all([uses4 ? dns.a(host) : NOT_ASKED, uses6 ? dns.aaaa(host) : NOT_ASKED]);
  const ipv4 = four.kind === 'found' ? four.values : [];
  const ipv6 = six.kind === 'found' ? six.values : [];
  if (ipv4.length + ipv6.length === 0) {
    // Only a lookup of the other family can distinguish a server without any address from one that our own setting excludes.
    if (!uses4) return describeMissing(host, await dns.a(host), six, 'IPv6');
    if (!uses6) return describeMissing(host, four, await dns.aaaa(host), 'IPv4');
    return describeMissing(host, four, six, null);
  }
  // One forbidden address is enough: a name that mixes internal and public addresses is an attack or a mistake. The
  // address is not reported, because users without access to the internal network must not learn what our DNS returns
  // for it.
  const isBad = (address: string) => addressPolicy !== null && refuseAddress(address, addressPolicy) !== null;
  if ([...ipv4, ...ipv6].some(isBad)) {
    return { kind: 'forbidden', reason: `The mail server ${host} has an address that is not public.` };
  }
  return { kind: 'found', ipv4, ipv6 };
}

const NOT_ASKED: DnsResult<string> = { kind: 'no-record' };

/** @param only the one family that we send from, if there is only one. */
function describeMissing(
  host: string,
  four: DnsResult<string>,
  six: DnsResult<string>,
  only: 'IPv4' | 'IPv6' | null,
): HostAddresses {
  const failure = [four, six].find((response) => response.kind === 'failed');
  if (failure?.kind === 'failed') {
    return {
      kind: 'failed',
      reason: `The DNS lookup of the mail server ${host} failed: ${failure.reason}`,
    };
  }
  if (four.kind !== 'found' && six.kind !== 'found') {
    return { kind: 'none', reason: `The mail server ${host} has no address.` };
  }
  const reason = `The mail server ${host} has no ${only} address, and this server is configured to send only over ${only}.`;
  return { kind: 'unused', reason };
}
