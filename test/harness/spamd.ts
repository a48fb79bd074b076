import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export interface TestSpamd {
  readonly port: number;
  /** The received request: the command line and the message. */
  readonly received: readonly { readonly command: string; readonly message: string }[];
  close(): Promise<void>;
}

/**
 * A server with the protocol of SpamAssassin's daemon (SPAMC/1.5).
 * @param response the response to a complete request; null for none.
 */
export async function startSpamd(response: string | null): Promise<TestSpamd> {
  const received: { command: string; message: string }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const request = Buffer.concat(chunks);
      const end = request.indexOf('\r\n\r\n');
      const head = request.subarray(0, Math.max(0, end)).toString('latin1');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      if (end === -1 || request.length < end + 4 + length) return;
      received.push({ command: head.split('\r\n')[0] ?? '', message: request.subarray(end + 4).toString('utf8') });
      if (response !== null) socket.end(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    received,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
