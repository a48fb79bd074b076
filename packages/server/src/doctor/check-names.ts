import type { DnsAnswer, DnsResolver } from '../dns/dns-resolver.ts';
import { type DoctorCheck, fail, pass, skip, warn } from './doctor-check.ts';

/** RFC 2606 keeps it for examples; every resolver of the Internet knows it. */
const WELL_KNOWN = 'example.com';

/** @param servers for the message: who is asked. */
export async function checkResolver(dns: DnsResolver, servers: readonly string[]): Promise<DoctorCheck> {
  const answer = await dns.fresh().ns(WELL_KNOWN);
  const who = servers.length === 0 ? 'no server' : servers.join(', ');
  if (answer.kind === 'found') return pass('dns', `The DNS answers (${who}).`);
  if (answer.kind === 'failed') {
    const fix =
      'Name servers that resolve for this machine in POSTRIDER_DNS_SERVERS, and let UDP and TCP port 53 through.';
    return fail('dns', `The DNS does not answer: ${answer.reason}.`, fix);
  }
  const fix = 'Where this is no closed network, name other servers in POSTRIDER_DNS_SERVERS.';
  return warn('dns', `The DNS answers (${who}), and knows nothing of ${WELL_KNOWN}.`, fix);
}

export interface HeloFacts {
  readonly name: string;
  readonly transport: 'capture' | 'direct' | 'relay';
  /** The addresses that mail leaves from; none where the system chooses. */
  readonly sourceAddresses: readonly string[];
}

/** Whether the name given to other mail servers leads to an address, and that back to the name: many refuse mail where it does not. */
export async function checkHeloName(dns: DnsResolver, facts: HeloFacts): Promise<DoctorCheck> {
  const { name, transport, sourceAddresses } = facts;
  // A relay knows its clients by other means; those who are sent to directly know nothing else.
  const bad = transport === 'direct' ? fail : warn;
  const set = 'Set POSTRIDER_HELO_NAME to the name that this machine has in the DNS.';
  if (transport === 'capture') return skip('helo-name', 'Nothing leaves with the transport capture.');
  if (name.startsWith('[')) return warn('helo-name', `${name} is an address: some servers refuse those.`, set);
  if (!name.includes('.')) return bad('helo-name', `${name} is no full name: many servers refuse those.`, set);
  const fresh = dns.fresh();
  const answers = await Promise.all([fresh.a(name), fresh.aaaa(name)]);
  const addresses = answers.flatMap(valuesOf);
  const failed = answers.find((answer) => answer.kind === 'failed');
  if (addresses.length === 0 && failed?.kind === 'failed')
    return bad('helo-name', `${name} cannot be looked up: ${failed.reason}.`, set);
  if (addresses.length === 0) return bad('helo-name', `${name} has no address in the DNS.`, `Publish one, or: ${set}`);
  const strange = sourceAddresses.filter((address) => !addresses.includes(address));
  if (strange.length > 0) {
    const message = `Mail leaves from ${strange.join(', ')}, which is none of the addresses of ${name} (${addresses.join(', ')}).`;
    return bad('helo-name', message, 'Publish the address under that name, or change POSTRIDER_SOURCE_ADDRESS.');
  }
  return await checkReverse(fresh, name, sourceAddresses.length > 0 ? sourceAddresses : addresses, bad);
}

async function checkReverse(
  dns: DnsResolver,
  name: string,
  addresses: readonly string[],
  bad: typeof fail,
): Promise<DoctorCheck> {
  const found = await Promise.all(addresses.map(async (address) => ({ address, answer: await dns.ptr(address) })));
  const wrong = found.filter(({ answer }) => !valuesOf(answer).includes(name.toLowerCase()));
  if (wrong.length === 0) return pass('helo-name', `${name} and ${addresses.join(', ')} name each other.`);
  const told = wrong.map(({ address, answer }) => `${address} ${describeNames(answer)}`).join('; ');
  const fix = `Have the provider of the address set its reverse name (PTR) to ${name}.`;
  // One of several may well not be used for mail.
  const judge = wrong.length < found.length ? warn : bad;
  return judge('helo-name', `The reverse DNS does not confirm ${name}: ${told}.`, fix);
}

function valuesOf(answer: DnsAnswer<string>): readonly string[] {
  return answer.kind === 'found' ? answer.values : [];
}

function describeNames(answer: DnsAnswer<string>): string {
  if (answer.kind === 'found') return `is called ${answer.values.join(', ')}`;
  return answer.kind === 'failed' ? `cannot be looked up (${answer.reason})` : 'has no name';
}
