import { connect, type Socket } from 'node:net';

/** A connection that a test writes bytes to as it likes, while it reads what comes back. */
export interface RawConnection {
  readonly socket: Socket;
  /** All that was received so far. */
  readonly received: () => string;
  write(bytes: string | Buffer): void;
  /** Resolves with all that was received once this text is in it, and rejects where the connection closes before. */
  until(text: string | RegExp): Promise<string>;
  /** Resolves with all that was received, however the connection ended. */
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
  // A server that refuses a request resets the connection of a client that continues writing.
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

/** The status and the JSON body of the last response in what was received. */
export function lastResponse(received: string): { readonly status: number; readonly body: Record<string, unknown> } {
  const at = received.lastIndexOf('HTTP/1.1 ');
  const [head = '', body = ''] = received.slice(at).split('\r\n\r\n', 2);
  return { status: Number(head.slice(9, 12)), body: body === '' ? {} : JSON.parse(body) };
}

/** Writes until the server has responded or closed the connection, and counts the bytes that the operating systems took. */
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
