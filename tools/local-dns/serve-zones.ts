import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import dnsPacket, { type Answer, type Question } from 'dns-packet';
import { readZoneRecords, type ZoneRecord } from './zone-records.ts';

const AUTHORITATIVE = dnsPacket.AUTHORITATIVE_ANSWER;
const NAME_ERROR = 3;

export interface ZoneServer {
  /** In the format of POSTRIDER_DNS_SERVERS. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Answers DNS queries on loopback from zone files, over UDP without a size limit, because nothing truncates packets there. The files are
 * read for each query, so that changes take effect immediately. Names in none of them do not exist.
 */
export async function serveZones(files: readonly string[], port: number): Promise<ZoneServer> {
  const socket = createSocket('udp4');
  socket.on('message', async (message, from) => {
    const reply = await answer(message, files);
    if (reply !== null) socket.send(reply, from.port, from.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Null if the message cannot be replied to. */
async function answer(message: Buffer, files: readonly string[]): Promise<Buffer | null> {
  try {
    const { id = 0, questions = [] } = dnsPacket.decode(message);
    const zones = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const records = zones.flatMap(readZoneRecords);
    const [question] = questions;
    if (question === undefined) return null;
    const named = records.filter(({ name }) => name === question.name.toLowerCase());
    const answers = named.filter(({ type }) => type === question.type).map((record) => toAnswer(record, question));
    const rcode = named.length === 0 ? NAME_ERROR : 0;
    return dnsPacket.encode({ type: 'response', id, flags: AUTHORITATIVE | rcode, questions, answers });
  } catch {
    // Not a readable query; a resolver retries.
    return null;
  }
}

/** With the name as it was queried: resolvers compare the case (draft-vixie-dnsext-dns0x20). */
function toAnswer({ ttl, data }: ZoneRecord, { name }: Question): Answer {
  return 'preference' in data ? { name, type: 'MX', ttl, data } : { name, type: 'TXT', ttl, data: [...data] };
}
