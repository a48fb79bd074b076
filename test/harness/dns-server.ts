import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import dnsPacket, { type Answer, type DecodedPacket, type Question } from 'dns-packet';
import { createTestZone, type TestRecordType, type TestZone } from './dns-zone.ts';

export type { TestRecordType } from './dns-zone.ts';

/**
 * `silence`: no response. `garbage`: bytes with the right id that are not a message. `truncated`: over UDP only the truncation flag; over
 * TCP the records.
 */
export type DnsFailure = 'SERVFAIL' | 'REFUSED' | 'silence' | 'garbage' | 'truncated';

export interface AskedQuestion {
  readonly name: string;
  readonly type: string;
  readonly transport: 'udp' | 'tcp';
}

export interface SetOptions {
  /** In seconds. Default 0: not cached. */
  readonly ttl?: number;
  /** For a CNAME: false returns it alone, without the records of its target, like a server of one zone. */
  readonly follow?: boolean;
}

export interface TestDnsServer {
  /** `127.0.0.1:<port>` for UDP and TCP, in the format of POSTRIDER_DNS_SERVERS. */
  readonly address: string;
  /** The queries, in order. */
  readonly questions: readonly AskedQuestion[];
  /**
   * Sets the records of a name and type, and clears its failure. MX values are `10 mx.example.com` (`0 .` is the null MX). A TXT value is
   * one string, which is split into strings of 255 bytes, or a list of the strings of one record. The name of a PTR can be the address.
   * SOA: `mname rname serial refresh retry expire minimum`; it makes the negative responses below it cacheable.
   */
  set(
    name: string,
    type: TestRecordType,
    values: readonly (string | readonly string[])[] | string,
    options?: SetOptions,
  ): void;
  /** Removes the records and failures of a name, by default of all types. */
  remove(name: string, type?: TestRecordType): void;
  /** Makes queries fail; the name `*` matches every name. */
  fail(name: string, type: TestRecordType | '*', how: DnsFailure): void;
  close(): Promise<void>;
}

const SERVFAIL = 2;
const REFUSED = 5;
/** RFC 1035 §4.2.1: the maximum size over UDP of a client without EDNS. */
const PLAIN_UDP_BYTES = 512;

/**
 * A real DNS server on loopback that responds like a recursive resolver: with the whole chain of CNAMEs, and NXDOMAIN for unknown names.
 */
export async function startDnsServer(): Promise<TestDnsServer> {
  const zone = createTestZone();
  const failures = new Map<string, DnsFailure>();
  const questions: AskedQuestion[] = [];
  const failureOf = (name: string, type: string) =>
    ['*', name].flatMap((at) => [failures.get(`${at} *`), failures.get(`${at} ${type}`)]).find((how) => how);

  function reply(query: Buffer, transport: 'udp' | 'tcp'): Buffer | null {
    const asked = dnsPacket.decode(query);
    const [question] = asked.questions ?? [];
    if (question === undefined) return null;
    const name = question.name.toLowerCase();
    questions.push({ name, type: question.type, transport });
    const how = failureOf(name, question.type) ?? failedOnTheWay(zone, name, question.type, failureOf);
    if (how === 'silence') return null;
    if (how === 'garbage') return Buffer.concat([query.subarray(0, 2), Buffer.from('garbage'.repeat(9))]);
    if (how === 'SERVFAIL' || how === 'REFUSED') return encode(asked, question, how === 'REFUSED' ? REFUSED : SERVFAIL);
    const { answers, authorities, rcode } = zone.lookUp(name, question.type);
    const whole = encode(asked, question, rcode, answers, authorities);
    const fits = transport === 'tcp' || (how !== 'truncated' && whole.length <= roomOf(asked));
    return fits ? whole : encode(asked, question, rcode, [], [], dnsPacket.TRUNCATED_RESPONSE);
  }

  const { udp, tcp, port } = await listen();
  const connections = new Set<Socket>();
  udp.on('message', (query, peer) => {
    const response = reply(query, 'udp');
    if (response !== null) udp.send(response, peer.port, peer.address);
  });
  tcp.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket)).on('error', () => socket.destroy());
    respondOver(socket, (query) => reply(query, 'tcp'));
  });

  return {
    address: `127.0.0.1:${port}`,
    questions,
    set(name, type, values, options = {}) {
      failures.delete(`${zone.nameOf(name, type)} ${type}`);
      zone.set(name, type, values, options);
    },
    remove(name, type) {
      for (const key of [...failures.keys()]) {
        const [at, of] = key.split(' ');
        if (at === zone.nameOf(name, type) && (type === undefined || of === type)) failures.delete(key);
      }
      zone.remove(name, type);
    },
    fail(name, type, how) {
      failures.set(`${zone.nameOf(name, type === '*' ? undefined : type)} ${type}`, how);
    },
    async close() {
      for (const socket of connections) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

/** A chain of CNAMEs fails if its target does: a server that follows it gets no response there. */
function failedOnTheWay(
  zone: TestZone,
  name: string,
  type: string,
  failureOf: (name: string, type: string) => DnsFailure | undefined,
): DnsFailure | undefined {
  return zone
    .targetsOf(name, type)
    .map((target) => failureOf(target, type))
    .find((how) => how !== undefined);
}

function encode(
  asked: DecodedPacket,
  question: Question,
  rcode: number,
  answers: Answer[] = [],
  authorities: Answer[] = [],
  flags = 0,
): Buffer {
  const always = dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE;
  const hasEdns = asked.additionals?.some(({ type }) => type === 'OPT') === true;
  const opt: Answer = {
    type: 'OPT',
    name: '.',
    udpPayloadSize: 1232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
  return dnsPacket.encode({
    type: 'response',
    id: asked.id,
    flags: always | flags | rcode,
    questions: [question],
    answers,
    authorities,
    additionals: hasEdns ? [opt] : [],
  });
}

function roomOf(asked: DecodedPacket): number {
  const opt = asked.additionals?.find((record) => record.type === 'OPT');
  return opt?.type === 'OPT' ? Math.max(PLAIN_UDP_BYTES, opt.udpPayloadSize) : PLAIN_UDP_BYTES;
}

/** RFC 1035 §4.2.2: two length bytes before each message. */
function respondOver(socket: Socket, reply: (query: Buffer) => Buffer | null): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    pending = Buffer.concat([pending, data]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0);
      const response = reply(pending.subarray(2, end));
      pending = pending.subarray(end);
      if (response === null) continue;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      socket.write(Buffer.concat([length, response]));
    }
  });
}

/** Uses one port for both: if the free TCP port is in use for UDP, another one is tried. */
async function listen(): Promise<{ readonly udp: UdpSocket; readonly tcp: Server; readonly port: number }> {
  for (;;) {
    const tcp = createServer().listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const address = tcp.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const udp = createSocket('udp4');
    const bound = await new Promise<boolean>((resolve) => {
      udp.once('error', () => resolve(false)).bind(port, '127.0.0.1', () => resolve(true));
    });
    if (bound) return { udp, tcp, port };
    tcp.close();
  }
}
