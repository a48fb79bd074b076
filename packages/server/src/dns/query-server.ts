import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { DecodedPacket } from 'dns-packet';
import { type DnsQuestion, encodeQuestion, readReply } from './dns-message.ts';
import type { DnsServerAddress } from './dns-servers.ts';

export type ServerResult =
  | { readonly kind: 'reply'; readonly packet: DecodedPacket; readonly rcode: number }
  /** It could not be reached or did not respond. The next attempt may succeed. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** It sent an invalid response. */
  | { readonly kind: 'senseless'; readonly reason: string };

const FORMERR = 1;
const NOTIMP = 4;

/**
 * Sends one query to one server, over UDP, and over TCP if the response was too long or could not be parsed. Ids and
 * source ports are random, and only the queried server can respond: the kernel drops packets from others (RFC 5452).
 * @param timeoutMs for each of the two.
 */
export async function queryServer(
  server: DnsServerAddress,
  question: DnsQuestion,
  timeoutMs: number,
): Promise<ServerResult> {
  const response = await askOverBoth(server, question, timeoutMs, true);
  const isTooOld = response.kind === 'reply' && (response.rcode === FORMERR || response.rcode === NOTIMP);
  return isTooOld ? await askOverBoth(server, question, timeoutMs, false) : response;
}

async function askOverBoth(server: DnsServerAddress, question: DnsQuestion, timeoutMs: number, edns: boolean) {
  const response = await askOverUdp(server, question, timeoutMs, edns);
  return response.kind === 'senseless' ? await askOverTcp(server, question, timeoutMs, edns) : response;
}

function askOverUdp(
  { host, port, family }: DnsServerAddress,
  question: DnsQuestion,
  timeoutMs: number,
  edns: boolean,
): Promise<ServerResult> {
  const id = randomInt(0x10000);
  return new Promise((resolve) => {
    const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
    let isOver = false;
    const end = (response: ServerResult) => {
      // An error may follow the response, and a second error the first.
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      socket.close();
      resolve(response);
    };
    const timer = setTimeout(() => end({ kind: 'unreachable', reason: 'did not respond in time' }), timeoutMs);
    // A connected socket only receives from this server, and reports a closed port at once.
    socket.on('error', (error) => end({ kind: 'unreachable', reason: reasonOf(error) }));
    socket.on('message', (bytes) => {
      const reply = readReply(bytes, id, question);
      if (reply.kind === 'foreign') return;
      end(reply.kind === 'reply' ? reply : { kind: 'senseless', reason: 'sent a response that cannot be parsed' });
    });
    socket.connect(port, host, () => {
      if (!isOver) socket.send(encodeQuestion(id, question, edns));
    });
  });
}

function askOverTcp(
  { host, port }: DnsServerAddress,
  question: DnsQuestion,
  timeoutMs: number,
  edns: boolean,
): Promise<ServerResult> {
  const id = randomInt(0x10000);
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (response: ServerResult) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(response);
    };
    const timer = setTimeout(() => end({ kind: 'unreachable', reason: 'did not respond in time' }), timeoutMs);
    let received: Buffer = Buffer.alloc(0);
    socket.on('error', (error) => end({ kind: 'unreachable', reason: reasonOf(error) }));
    socket.on('close', () => end({ kind: 'unreachable', reason: 'closed the connection' }));
    socket.on('connect', () => socket.write(withLength(encodeQuestion(id, question, edns))));
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const reply = readReply(received.subarray(2, 2 + received.readUInt16BE(0)), id, question);
      end(reply.kind === 'reply' ? reply : { kind: 'senseless', reason: 'sent a response that cannot be parsed' });
    });
  });
}

/** RFC 1035 §4.2.2. */
function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : error.message;
  return code === 'ECONNREFUSED' ? 'refused the connection' : `could not be reached (${code})`;
}
