import { connect, type Socket } from 'node:net';

/** A connection on which a test writes any bytes, while it reads the responses. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything received so far. */
  readonly received: () => string;
  write(bytes: string | Buffer): void;
  /** Resolves with everything received once it contains this text. Rejects if the connection closes first. */
  until(text: string | RegExp): Promise<string>;
  /** Resolves with everything received when the connection has ended in any way. */
  closed(): Promise<string>;
}

export async function openRaw(baseUrl: string): Promise<RawConnection> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let received = '';
  let isClosed = false;
  const watchers = new Set<() => void>();
  const notify = () => {
    for (const watch of watchers) watch();
  };
  socket.setEncoding('latin1');
  // A server that rejects a request resets the connection if the client continues to write.
  socket.on('error', () => undefined);
  socket.on('data', (text) => {
    received += String(text);
    notify();
  });
  socket.on('close', () => {
    isClosed = true;
    notify();
  });
  const when = (isOver: () => boolean) =>
    new Promise<string>((resolve, reject) => {
      const watch = () => {
        if (!isOver() && !isClosed) return;
        watchers.delete(watch);
        if (isOver()) resolve(received);
        else reject(new Error(`the connection closed after: ${received}`));
      };
      watchers.add(watch);
      watch();
    });
  return {
    socket,
    received: () => received,
    write: (bytes) => void socket.write(bytes),
    until: (text) => when(() => (typeof text === 'string' ? received.includes(text) : text.test(received))),
    closed: () => when(() => isClosed),
  };
}

/** The status and the JSON body of the last response. */
export function lastResponse(received: string): { readonly status: number; readonly body: Record<string, unknown> } {
  const at = received.lastIndexOf('HTTP/1.1 ');
  const [head = '', body = ''] = received.slice(at).split('\r\n\r\n', 2);
  return { status: Number(head.slice(9, 12)), body: body === '' ? {} : JSON.parse(body) };
}

/** Writes until the server has responded or closed the connection, and counts the bytes that the operating system accepted. */
export async function flood({ socket, received }: RawConnection, bytes: number, chunk: Buffer): Promise<number> {
  let written = 0;
  while (written < bytes && received() === '' && !socket.destroyed) {
    const isTaken = socket.write(chunk);
    written += chunk.length;
    if (isTaken) continue;
    await new Promise<void>((resolve) => {
      const go = () => {
        socket.off('drain', go).off('data', go).off('close', go);
        resolve();
      };
      socket.on('drain', go).on('data', go).on('close', go);
    });
  }
  return written;
}
