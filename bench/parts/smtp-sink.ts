import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A message as received, with dot-stuffing still in place. */
export interface SunkMessage {
  readonly recipient: string;
  readonly data: Buffer;
}

const END_OF_DATA = Buffer.from('\r\n.\r\n', 'latin1');
const LINE_END = Buffer.from('\r\n', 'latin1');
const NOTHING = Buffer.alloc(0);

/**
 * An SMTP server that accepts everything at minimal cost: pipelined commands, and one write for all the replies to one read. Calls `take`
 * for every message when its final dot is received, before it replies.
 *
 * @returns the port it listens on, on loopback.
 */
export function startLeanSink(take: (message: SunkMessage) => void): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => serve(socket, take));
  // A benchmark that has ended must not wait for it.
  server.unref();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)); // A TCP server has no other kind of address.
  });
}

function serve(socket: Socket, take: (message: SunkMessage) => void): void {
  let pending: Buffer = NOTHING;
  let recipient = '';
  let inData = false;

  /** The replies to all complete commands; the incomplete rest stays buffered. */
  function respond(): string {
    let replies = '';
    for (;;) {
      const end = pending.indexOf(inData ? END_OF_DATA : LINE_END);
      if (end < 0) return replies;
      if (inData) {
        take({ recipient, data: pending.subarray(0, end + LINE_END.length) });
        pending = pending.subarray(end + END_OF_DATA.length);
        inData = false;
        replies += '250 2.0.0 Taken\r\n';
      } else {
        const line = pending.toString('latin1', 0, end);
        pending = pending.subarray(end + LINE_END.length);
        replies += obey(line);
      }
    }
  }

  function obey(line: string): string {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return '250-sink.test\r\n250-PIPELINING\r\n250 8BITMIME\r\n';
      case 'MAIL':
        return '250 2.1.0 Ok\r\n';
      case 'RCPT':
        recipient = line.slice(line.indexOf('<') + 1, line.indexOf('>'));
        return '250 2.1.5 Ok\r\n';
      case 'DATA':
        inData = true;
        return '354 Go on\r\n';
      case 'RSET':
        return '250 2.0.0 Ok\r\n';
      case 'QUIT':
        return '221 2.0.0 Bye\r\n';
      default:
        return '502 5.5.2 No such command\r\n';
    }
  }

  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const replies = respond();
    if (pending.length === 0) pending = NOTHING;
    if (replies.startsWith('221')) socket.end(replies);
    else if (replies !== '') socket.write(replies);
  });
  socket.on('error', () => socket.destroy());
  socket.write('220 sink.test ESMTP\r\n');
}
