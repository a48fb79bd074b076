import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A client that writes exactly the given text and reads complete replies. */
export interface SmtpSession {
  readonly socket: Socket;
  /** The next reply with all its lines; null once the server has closed the connection. */
  reply(): Promise<string | null>;
  /** Writes a line and returns the reply. */
  say(line: string): Promise<string | null>;
  /** Writes the text unchanged. */
  write(data: string | Uint8Array): void;
  /** Starts TLS on an open session, after the reply to STARTTLS. */
  secure(): Promise<SmtpSession>;
  close(): void;
}

/** Connects and returns the session with the greeting read. */
export async function openSmtpSession(port: number, mode: 'plain' | 'tls' = 'plain'): Promise<SmtpSession> {
  const socket =
    mode === 'tls'
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect({ port, host: '127.0.0.1' });
  await once(socket, mode === 'tls' ? 'secureConnect' : 'connect');
  const session = converse(socket);
  await session.reply();
  return session;
}

/** A session that is logged in with a key. */
export async function openLoggedIn(tlsPort: number, key: string): Promise<SmtpSession> {
  const session = await openSmtpSession(tlsPort, 'tls');
  await session.say('EHLO client.test');
  const reply = await session.say(`AUTH PLAIN ${plainToken(key)}`);
  if (!reply?.startsWith('235')) throw new Error(`not logged in: ${reply}`);
  return session;
}

export function plainToken(key: string, user = 'postrider'): string {
  return Buffer.from(`\0${user}\0${key}`).toString('base64');
}

export function converse(socket: Socket): SmtpSession {
  let unread = '';
  let ended = false;
  let wake: () => void = () => undefined;
  socket.setNoDelay(true);
  socket.on('data', (chunk) => {
    unread += chunk.toString('utf8');
    wake();
  });
  for (const event of ['end', 'close', 'error']) {
    socket.on(event, () => {
      ended = true;
      wake();
    });
  }
  const reply = async (): Promise<string | null> => {
    for (;;) {
      // The last line of a reply has a space after its code (RFC 5321 §4.2.1).
      const match = /^(?:\d{3}-[^\n]*\r\n)*\d{3} [^\n]*\r\n/.exec(unread);
      if (match !== null) {
        unread = unread.slice(match[0].length);
        return match[0].trimEnd();
      }
      if (ended) return null;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const write = (data: string | Uint8Array) => {
    if (!socket.destroyed) socket.write(data);
  };
  return {
    socket,
    reply,
    write,
    say: (line) => {
      write(`${line}\r\n`);
      return reply();
    },
    secure: async () => {
      socket.removeAllListeners('data');
      const secured = connectTls({ socket, rejectUnauthorized: false });
      await once(secured, 'secureConnect');
      return converse(secured);
    },
    close: () => socket.destroy(),
  };
}
