import type { Answer, DecodedPacket } from 'dns-packet';
import type { DnsQuestion, DnsType } from './dns-message.ts';
import type { MxRecord } from './dns-resolver.ts';

/** The result of one response. `ttl` is in seconds. */
export type DnsStep =
  | { readonly kind: 'found'; readonly records: DnsRecords; readonly ttl: number; readonly aliases: readonly string[] }
  | { readonly kind: 'no-record' | 'no-name'; readonly ttl: number; readonly aliases: readonly string[] }
  /** The response ends at a CNAME whose target it does not contain: query the last of `aliases` next. */
  | { readonly kind: 'alias'; readonly ttl: number; readonly aliases: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: string };

/** MX records are in `mx`, all other types in `texts`. */
export interface DnsRecords {
  readonly texts: readonly string[];
  readonly mx: readonly MxRecord[];
}

/** A longer CNAME chain is a mistake; resolvers usually stop at 8 to 16. */
export const MAX_ALIASES = 8;

const NO_ERROR = 0;
const NXDOMAIN = 3;
const MAX_TTL_SECONDS = 86_400;
/** Long enough to spare the servers, and short enough for a record that has just been published. */
const MAX_NEGATIVE_TTL_SECONDS = 900;
const RCODES: Readonly<Record<number, string>> = { 1: 'FORMERR', 2: 'SERVFAIL', 4: 'NOTIMP', 5: 'REFUSED' };

/**
 * Interprets a response by RFC 1034 §3.6.2 (CNAMEs) and RFC 2308 (negative responses): `aliases` are the CNAME targets,
 * in order. A negative response without an SOA has a ttl of 0: it must not be cached (RFC 2308 §5).
 */
export function readStep({ name, type }: DnsQuestion, packet: DecodedPacket, rcode: number): DnsStep {
  if (rcode !== NO_ERROR && rcode !== NXDOMAIN) return { kind: 'failed', reason: `returned ${nameRcode(rcode)}` };
  const answers = (packet.answers ?? []).filter(isInternet);
  const { aliases, last, ttl: chainTtl, loops } = followAliases(answers, name, type);
  if (loops) return { kind: 'alias', ttl: chainTtl, aliases };
  const matching = answers.filter((record) => record.type === type && nameOf(record) === last);
  const records = readRecords(matching);
  const ttl = Math.min(chainTtl, ...matching.map(ttlOf));
  if (records.texts.length + records.mx.length > 0) return { kind: 'found', records, ttl, aliases };
  const negativeTtl = Math.min(ttl, negativeTtlOf(packet));
  if (rcode === NXDOMAIN) return { kind: 'no-name', ttl: negativeTtl, aliases };
  if (!hasSoa(packet) && aliases.length > 0) return { kind: 'alias', ttl, aliases };
  if (isReferral(packet))
    return { kind: 'failed', reason: 'returned only a referral to other servers (it does not resolve names for us)' };
  return { kind: 'no-record', ttl: negativeTtl, aliases };
}

/** Stops at the first repeated name; the caller then detects the loop. */
function followAliases(answers: readonly TimedAnswer[], name: string, type: DnsType) {
  const aliases: string[] = [];
  let last = name;
  let ttl = MAX_TTL_SECONDS;
  let loops = false;
  while (type !== 'CNAME' && !loops) {
    const alias = answers.find((record) => record.type === 'CNAME' && nameOf(record) === last);
    if (alias?.type !== 'CNAME') break;
    last = bare(alias.data);
    ttl = Math.min(ttl, ttlOf(alias));
    loops = last === name || aliases.includes(last);
    aliases.push(last);
  }
  return { aliases, last, ttl, loops };
}

type TimedAnswer = Exclude<Answer, { type: 'OPT' }>;

function isInternet(record: Answer): record is TimedAnswer {
  return record.type !== 'OPT' && record.class === 'IN';
}

function readRecords(records: readonly TimedAnswer[]): DnsRecords {
  const texts: string[] = [];
  const mx: MxRecord[] = [];
  for (const record of records) {
    if (record.type === 'MX') mx.push({ priority: record.data.preference ?? 0, exchange: bare(record.data.exchange) });
    else if (record.type === 'TXT') texts.push(joinStrings(record.data));
    else if (record.type === 'A' || record.type === 'AAAA') texts.push(record.data);
    else if (record.type === 'CNAME' || record.type === 'PTR' || record.type === 'NS') texts.push(bare(record.data));
  }
  // `sort` is stable: records of equal preference stay in the server's order.
  return { texts, mx: mx.sort((one, other) => one.priority - other.priority) };
}

function joinStrings(data: string | Buffer | readonly (string | Buffer)[]): string {
  const strings = typeof data === 'string' || Buffer.isBuffer(data) ? [data] : data;
  return Buffer.concat(strings.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))).toString();
}

function bare(name: string): string {
  return name.replace(/\.$/, '').toLowerCase();
}

function nameOf(record: TimedAnswer): string {
  return bare(record.name);
}

/** RFC 2181 §8: a ttl with its highest bit set counts as 0. */
function ttlOf(record: { readonly ttl?: number | undefined }): number {
  const ttl = record.ttl ?? 0;
  return ttl >= 2 ** 31 ? 0 : ttl;
}

/** RFC 2308 §5: the smaller of the SOA's own ttl and its minimum field. */
function negativeTtlOf(packet: DecodedPacket): number {
  const soa = packet.authorities?.find((record) => record.type === 'SOA');
  if (soa?.type !== 'SOA') return 0;
  return Math.min(ttlOf(soa), soa.data.minimum ?? 0, MAX_NEGATIVE_TTL_SECONDS);
}

function hasSoa(packet: DecodedPacket): boolean {
  return packet.authorities?.some(({ type }) => type === 'SOA') === true;
}

/** A recursive query that returned a referral (RFC 2308 §2.2 distinguishes it from "no data" by the missing SOA). */
function isReferral(packet: DecodedPacket): boolean {
  const hasDelegation = packet.authorities?.some(({ type }) => type === 'NS') === true;
  return hasDelegation && !hasSoa(packet) && !packet.flag_aa;
}

function nameRcode(rcode: number): string {
  return RCODES[rcode] ?? `the code ${rcode}`;
}
