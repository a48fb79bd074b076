/** The first packet of a connection: its length, the protocol version, and pairs of name and value, each ended by a zero byte. */
const HEAD = 8;
const LENGTH = 4;

/** The packet without these parameters. A request for encryption or cancellation has none and stays unchanged. */
export function withoutStartParameters(packet: Buffer, dropped: readonly string[]): Buffer {
  const isStart = packet.readUInt16BE(LENGTH) === 3;
  if (!isStart) return packet;
  const words = packet.toString('latin1', HEAD).split('\0');
  const kept: string[] = [];
  for (let at = 0; words[at] !== undefined && words[at] !== ''; at += 2) {
    if (!dropped.includes(words[at] ?? '')) kept.push(words[at] ?? '', words[at + 1] ?? '');
  }
  const body = Buffer.from(`${kept.map((word) => `${word}\0`).join('')}\0`, 'latin1');
  const changed = Buffer.concat([packet.subarray(0, HEAD), body]);
  changed.writeUInt32BE(changed.length, 0);
  return changed;
}

/** Splits a client's bytes after its first packet; null until that is complete. */
export function splitStart(received: Buffer): { readonly start: Buffer; readonly rest: Buffer } | null {
  if (received.length < LENGTH || received.length < received.readUInt32BE(0)) return null;
  const end = received.readUInt32BE(0);
  return { start: received.subarray(0, end), rest: received.subarray(end) };
}
