import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { SelfMadeCertificate } from './self-made-certificate.ts';

/** One connection of a scripted server: the lines of the client, and methods to send any reply. */
export interface Conversation {
  /** Counted from 1, in the order of the connections. */
  readonly number: number;
  readonly socket: Socket;
  /** The next line of the client, without its line ending; null if the client has closed the connection. */
  line(): Promise<string | null>;
  /** Everything up to and including the line with a single dot. */
  body(): Promise<string>;
  /** Writes text unchanged, CR and LF included. */
  say(text: string): void;
  /** Reads a line, sends a reply, and returns the line. */
  reply(text: string): Promise<string | null>;
  /** Sends a greeting, and replies to EHLO with the given keywords. */
  open(...keywords: readonly string[]): Promise<void>;
  /** The same client after STARTTLS; this is the server side. */
  secure(certificate: SelfMadeCertificate): Conversation;
  /** Everything the client has written so far, one entry per chunk of the socket. */
  readonly chunks: readonly string[];
}

export interface ScriptedServer {
  readonly port: number;
  readonly connections: number;
  /** The conversation with that number, once it has started. */
  conversation(number: number): Promise<Conversation>;
  close(): Promise<void>;
}

/** A server on loopback that follows the script exactly. The script runs once per connection. */
export async function startScriptedServer(
  script: (conversation: Conversation) => Promise<void> | void,
  port = 0,
  host = '127.0.0.1',
): Promise<ScriptedServer> {
  const sockets = new Set<Socket>();
  const conversations: Conversation[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    socket.setNoDelay(true);
    const conversation = converse(socket, conversations.length + 1);
    conversations.push(conversation);
    for (const look of waiting) look();
    void script(conversation);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // A TCP server that listens has no other kind of address.
    get connections() {
      return conversations.length;
    },
    conversation: (number) =>
      new Promise((resolve) => {
        const look = () => {
          const conversation = conversations[number - 1];
          if (conversation === undefined) return;
          waiting.delete(look);
          resolve(conversation);
        };
        waiting.add(look);
        look();
      }),
    close: () => closeServer(server, sockets),
  };
}

/** Stops listening and drops every connection. */
export function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}

function converse(socket: Socket, number: number): Conversation {
  const chunks: string[] = [];
  let unread = '';
  let ended = false;
  let wake: () => void = () => undefined;
  const end = () => {
    ended = true;
    wake();
  };
  socket.setEncoding('latin1');
  socket
    .on('error', () => undefined)
    .on('end', end)
    .on('close', end);
  socket.on('data', (chunk) => {
    chunks.push(String(chunk));
    unread += String(chunk);
    wake();
  });
  const readUpTo = async (mark: string): Promise<string | null> => {
    for (let at = unread.indexOf(mark); ; at = unread.indexOf(mark)) {
      if (at !== -1) {
        const text = unread.slice(0, at + mark.length);
        unread = unread.slice(at + mark.length);
        return text;
      }
      if (ended) return null;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const line = async () => (await readUpTo('\r\n'))?.slice(0, -2) ?? null;
  const say = (text: string) => {
    socket.write(text, 'latin1');
  };
  const reply = async (text: string) => {
    const read = await line();
    say(text);
    return read;
  };
  return {
    number,
    socket,
    chunks,
    line,
    say,
    reply,
    body: async () => {
      let body = '';
      for (let next = await line(); next !== null; next = await line()) {
        body += `${next}\r\n`;
        if (next === '.') break;
      }
      return body;
    },
    secure: (certificate) => converse(new TLSSocket(socket, { isServer: true, ...certificate }), number),
    open: async (...keywords) => {
      say('220 odd.test ESMTP\r\n');
      const lines = ['odd.test', ...keywords];
      await reply(lines.map((text, index) => `250${index === lines.length - 1 ? ' ' : '-'}${text}\r\n`).join(''));
    },
  };
}
