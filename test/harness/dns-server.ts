import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

export interface DnsServer {
  /** `address:port`, as POSTRIDER_DNS_SERVERS takes it. */
  readonly address: string;
  /** Names that were asked for an IPv4 address, in order. */
  readonly questions: readonly string[];
  close(): Promise<void>;
}

/** The addresses of a name, of both families; null for a name that does not exist, `silence` for no answer at all. */
export type DnsZone = (name: string) => readonly string[] | null | 'silence';

const TYPES = new Map([
  [1, { length: 4, name: 'A' }],
  [28, { length: 16, name: 'AAAA' }],
]);
const NAME_ERROR = 3;

/** A real DNS server on loopback (RFC 1035, over UDP) that answers for A and AAAA what it is told, without a time to live. */
export async function startDnsServer(zone: DnsZone): Promise<DnsServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query);
    if (type === 1) questions.push(name);
    const addresses = zone(name);
    if (addresses !== 'silence') socket.send(makeAnswer(query, end, type, addresses), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function makeAnswer(query: Buffer, end: number, type: number, addresses: readonly string[] | null): Buffer {
  const wanted = TYPES.get(type)?.length;
  const records = (addresses ?? [])
    .map(toOctets)
    .filter((address) => address.length === wanted)
    .map((address) => makeRecord(type, address));
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8580 | (addresses === null ? NAME_ERROR : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

function toOctets(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // In a URL an address takes one form: groups in hexadecimal, the longest run of zeros left out.
  const [front = '', back = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const zeros = Array.from({ length: 8 - groups(front).length - groups(back).length }, () => '0');
  const all = [...groups(front), ...zeros, ...groups(back)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** The name is a pointer to that of the question. */
function makeRecord(type: number, address: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(address.length, 10);
  return Buffer.concat([head, address]);
}
