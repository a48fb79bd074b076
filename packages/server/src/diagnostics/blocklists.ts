import ipaddr from 'ipaddr.js';
import type { Clock } from '../clock.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { excerpt } from './findings.ts';
import type { BlocklistZone } from './tool-settings.ts';

export interface BlocklistVerdict {
  readonly list: string;
  /** The queried name. */
  readonly name: string;
  readonly status: 'listed' | 'not_listed' | 'could_not_check';
  readonly codes: readonly string[];
  /** The list's text about a listing, or why the query failed. */
  readonly reason: string | null;
}

export interface Blocklists {
  /** Checks each list of addresses. @param address a public one. */
  askForAddress(dns: DnsResolver, address: string): Promise<readonly BlocklistVerdict[]>;
  /** Checks each list of domains. The result is the first of the names that is listed. */
  askForDomain(dns: DnsResolver, names: readonly string[]): Promise<readonly BlocklistVerdict[]>;
}

export interface BlocklistsOptions {
  readonly zones: readonly BlocklistZone[];
  readonly clock: Clock;
}

type Family = 'ipv4' | 'ipv6' | 'domain';

/** RFC 5782 §2.3, §5 and §3: for each kind, one test entry that every list contains, and one that none contains. */
const TEST_POINTS: Readonly<Record<Family, { readonly listed: string; readonly free: string }>> = {
  ipv4: { listed: reversed('127.0.0.2'), free: reversed('127.0.0.1') },
  ipv6: { listed: nibbles('::ffff:7f00:2'), free: nibbles('::ffff:7f00:1') },
  domain: { listed: 'test', free: 'invalid' },
};

const TRUSTED_MS = 3_600_000;
const REASON_CHARACTERS = 300;

/**
 * A list is used only while its test entries give the right results: a list that was shut down, or that refuses us, must
 * count neither as clean nor as listed.
 */
export function createBlocklists({ zones, clock }: BlocklistsOptions): Blocklists {
  const proven = new Map<string, { readonly untilMs: number; readonly fault: string | null }>();

  /** Why the list cannot be trusted; null if it can. */
  async function faultOf(dns: DnsResolver, zone: string, family: Family): Promise<string | null> {
    const key = `${family} ${zone}`;
    const nowMs = clock.now().getTime();
    const known = proven.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.fault;
    const { fault, isCertain } = await proveList(dns, zone, family);
    if (isCertain) proven.set(key, { untilMs: nowMs + TRUSTED_MS, fault });
    return fault;
  }

  async function ask(
    dns: DnsResolver,
    zone: string,
    family: Family,
    labels: readonly string[],
  ): Promise<BlocklistVerdict> {
    const own = { list: zone, name: `${labels[0]}.${zone}` };
    const fault = await faultOf(dns, zone, family);
    if (fault !== null) return { ...own, status: 'could_not_check', codes: [], reason: fault };
    let verdict: BlocklistVerdict = await askOne(dns, zone, labels[0] ?? '');
    for (const label of labels.slice(1)) {
      if (verdict.status === 'listed') break;
      const next = await askOne(dns, zone, label);
      if (next.status !== 'not_listed') verdict = next;
    }
    return verdict.status === 'listed' ? { ...verdict, reason: await reasonOf(dns, verdict.name) } : verdict;
  }

  const zonesOf = (kind: BlocklistZone['kind']) => zones.filter((each) => each.kind === kind).map(({ zone }) => zone);
  return {
    askForAddress: (dns, address) => {
      const parsed = ipaddr.process(address);
      const label = parsed.kind() === 'ipv4' ? reversed(parsed.toString()) : nibbles(address);
      return Promise.all(zonesOf('ip').map((zone) => ask(dns, zone, parsed.kind(), [label])));
    },
    askForDomain: (dns, names) => Promise.all(zonesOf('domain').map((zone) => ask(dns, zone, 'domain', names))),
  };
}

/** `isCertain`: the list responded, so that a retry soon would give the same result. */
async function proveList(dns: DnsResolver, zone: string, family: Family) {
  const points = TEST_POINTS[family];
  const [listed, free] = await Promise.all([askOne(dns, zone, points.listed), askOne(dns, zone, points.free)]);
  const isCertain = listed.hasResponse && free.hasResponse;
  const what = family === 'domain' ? 'domains' : family === 'ipv6' ? 'IPv6 addresses' : 'IPv4 addresses';
  if (listed.status === 'could_not_check') return { isCertain, fault: listed.reason };
  if (listed.status === 'not_listed')
    return { isCertain, fault: `it does not list its test entry for ${what} (RFC 5782)` };
  if (free.status !== 'not_listed')
    return { isCertain, fault: `it lists what no list may contain (${points.free}, RFC 5782)` };
  return { isCertain, fault: null };
}

type CheckedVerdict = BlocklistVerdict & { readonly hasResponse: boolean };

async function askOne(dns: DnsResolver, zone: string, label: string): Promise<CheckedVerdict> {
  const name = `${label}.${zone}`;
  const own = { list: zone, name, hasResponse: true };
  const response = await dns.a(name);
  if (response.kind === 'failed') {
    return { ...own, hasResponse: false, status: 'could_not_check', codes: [], reason: response.reason };
  }
  if (response.kind !== 'found') return { ...own, status: 'not_listed', codes: [], reason: null };
  const codes = response.values.slice(0, 20);
  const fault = codes.map(faultOfCode).find((reason) => reason !== null);
  if (fault !== undefined) return { ...own, status: 'could_not_check', codes, reason: fault };
  return { ...own, status: 'listed', codes, reason: null };
}

/** RFC 5782 §2.1: the list's text is in a TXT record in addition to the code. */
async function reasonOf(dns: DnsResolver, name: string): Promise<string | null> {
  const words = await dns.txt(name);
  return words.kind === 'found' ? excerpt(words.values.join(' '), REASON_CHARACTERS) : null;
}

/** Why a response is not a listing: it is an error, or the address of a page that some resolvers return instead of NXDOMAIN. */
function faultOfCode(code: string): string | null {
  if (code.startsWith('127.255.255.')) return `it returns the error ${code}, usually because it refuses this resolver`;
  if (code === '127.0.0.1') return 'it returns 127.0.0.1, which is not a listing but a refusal';
  return code.startsWith('127.') ? null : `it returns ${code}, which is not a valid list code`;
}

function reversed(address: string): string {
  return address.split('.').reverse().join('.');
}

/** RFC 5782 §2.4: 32 nibbles, the last one first. */
function nibbles(address: string): string {
  const bytes = ipaddr.IPv6.parse(address).toByteArray();
  return Buffer.from(bytes).toString('hex').split('').reverse().join('.');
}
