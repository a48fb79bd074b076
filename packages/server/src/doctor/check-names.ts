import type { DnsResolver, DnsResult } from '../dns/dns-resolver.ts';
import { type DoctorCheck, fail, pass, skip, warn } from './doctor-check.ts';

/** RFC 2606 reserves it for examples; every resolver on the internet knows it. */
const WELL_KNOWN = 'example.com';

/** @param servers the queried servers, for the message. */
export async function checkResolver(dns: DnsResolver, servers: readonly string[]): Promise<DoctorCheck> {
  const response = await dns.fresh().ns(WELL_KNOWN);
  const who = servers.length === 0 ? 'no server' : servers.join(', ');
  if (response.kind === 'found') return pass('dns', `DNS responds (${who}).`);
  if (response.kind === 'failed') {
    const fix =
      'Set POSTRIDER_DNS_SERVERS to name servers that resolve for this machine, and allow UDP and TCP port 53.';
    return fail('dns', `DNS does not respond: ${response.reason}.`, fix);
  }
  const fix = 'Unless this is a closed network, set other servers in POSTRIDER_DNS_SERVERS.';
  return warn('dns', `DNS responds (${who}), but does not know ${WELL_KNOWN}.`, fix);
}

export interface HeloFacts {
  readonly name: string;
  readonly transport: 'capture' | 'direct' | 'relay';
  /** The addresses that mail is sent from; empty if the system chooses. */
  readonly sourceAddresses: readonly string[];
}

/**
 * Whether the name we send to other mail servers resolves to an address, and that address back to the name: many servers
 * reject mail otherwise.
 */
export async function checkHeloName(dns: DnsResolver, facts: HeloFacts): Promise<DoctorCheck> {
  const { name, transport, sourceAddresses } = facts;
  // A relay identifies its clients in other ways; other mail servers only have these records.
  const bad = transport === 'direct' ? fail : warn;
  const set = 'Set POSTRIDER_HELO_NAME to the DNS name of this machine.';
  if (transport === 'capture') return skip('helo-name', 'No mail is sent with the capture transport.');
  if (name.startsWith('[')) return warn('helo-name', `${name} is an IP address: some servers reject those.`, set);
  if (!name.includes('.'))
    return bad('helo-name', `${name} is not a fully qualified name: many servers reject those.`, set);
  const fresh = dns.fresh();
  const responses = await Promise.all([fresh.a(name), fresh.aaaa(name)]);
  const addresses = responses.flatMap(valuesOf);
  const failed = responses.find((response) => response.kind === 'failed');
  if (addresses.length === 0 && failed?.kind === 'failed')
    return bad('helo-name', `The lookup of ${name} failed: ${failed.reason}.`, set);
  if (addresses.length === 0) {
    const fix = 'Publish an A or AAAA record for it, or change POSTRIDER_HELO_NAME to a name that has one.';
    return bad('helo-name', `${name} has no address in the DNS.`, fix);
  }
  const unlisted = sourceAddresses.filter((address) => !addresses.includes(address));
  if (unlisted.length > 0) {
    const message = `Mail is sent from ${unlisted.join(', ')}, which is not an address of ${name} (${addresses.join(', ')}).`;
    const fix = `Publish an A or AAAA record with that address for ${name}, or change POSTRIDER_SOURCE_ADDRESS.`;
    return bad('helo-name', message, fix);
  }
  return await checkReverse(fresh, name, sourceAddresses.length > 0 ? sourceAddresses : addresses, bad);
}

async function checkReverse(
  dns: DnsResolver,
  name: string,
  addresses: readonly string[],
  bad: typeof fail,
): Promise<DoctorCheck> {
  const found = await Promise.all(addresses.map(async (address) => ({ address, response: await dns.ptr(address) })));
  const wrong = found.filter(({ response }) => !valuesOf(response).includes(name.toLowerCase()));
  if (wrong.length === 0) return pass('helo-name', `${name} and ${addresses.join(', ')} resolve to each other.`);
  const described = wrong.map(({ address, response }) => `${address} ${describeNames(response)}`).join('; ');
  const fix = `Ask the provider of the address to set its PTR record to ${name}, or change POSTRIDER_HELO_NAME to the name in that record.`;
  // If there are several addresses, some may not be used for mail.
  const judge = wrong.length < found.length ? warn : bad;
  return judge('helo-name', `The reverse DNS does not confirm ${name}: ${described}.`, fix);
}

function valuesOf(response: DnsResult<string>): readonly string[] {
  return response.kind === 'found' ? response.values : [];
}

function describeNames(response: DnsResult<string>): string {
  if (response.kind === 'found') return `has the name ${response.values.join(', ')}`;
  return response.kind === 'failed' ? `cannot be resolved (${response.reason})` : 'has no name';
}
