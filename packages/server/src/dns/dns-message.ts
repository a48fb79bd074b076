import dnsPacket, { type DecodedPacket } from 'dns-packet';

export type DnsType = 'A' | 'AAAA' | 'MX' | 'TXT' | 'PTR' | 'CNAME' | 'NS';

export interface DnsQuestion {
  /** In the form that `toDnsName` returns. */
  readonly name: string;
  readonly type: DnsType;
}

/** Classifies bytes from a server for a query. */
export type DnsReply =
  | { readonly kind: 'reply'; readonly packet: DecodedPacket; readonly rcode: number }
  /** Not for this query: the id or name differs. It may be spoofed, so we keep waiting for the real response. */
  | { readonly kind: 'foreign' }
  /** The right id, but the rest cannot be parsed or is truncated. */
  | { readonly kind: 'unreadable' };

/** The size that passes everywhere without fragmentation (DNS Flag Day 2020). */
const EDNS_BYTES = 1232;
const HEADER_BYTES = 12;
const NO_QUESTION = 0;

/** @param edns false for servers older than RFC 6891 that respond with FORMERR to it. */
export function encodeQuestion(id: number, { name, type }: DnsQuestion, edns: boolean): Buffer {
  return dnsPacket.encode({
    type: 'query',
    id,
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [{ name, type, class: 'IN' }],
    additionals: edns ? [EDNS] : [],
  });
}

const EDNS = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: EDNS_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
} as const satisfies object as never; // The codec's type requires a mutable list of options.

export function readReply(bytes: Buffer, id: number, { name, type }: DnsQuestion): DnsReply {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(0) !== id) return { kind: 'foreign' };
  const packet = decode(bytes);
  if (packet === null) return { kind: 'unreadable' };
  if (!packet.flag_qr) return { kind: 'foreign' };
  const rcode = (packet.flags ?? 0) & 15;
  const questions = packet.questions ?? [];
  const [asked] = questions;
  // Old servers omit the question when they refuse it.
  if (questions.length === NO_QUESTION && rcode !== 0) return { kind: 'reply', packet, rcode };
  const isOurs = questions.length === 1 && asked?.name.toLowerCase() === name && asked.type === type;
  if (!isOurs) return { kind: 'foreign' };
  return packet.flag_tc ? { kind: 'unreadable' } : { kind: 'reply', packet, rcode };
}

function decode(bytes: Buffer): DecodedPacket | null {
  try {
    return dnsPacket.decode(bytes);
  } catch {
    return null;
  }
}
