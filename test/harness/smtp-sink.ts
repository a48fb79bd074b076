import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import {
  SMTPServer,
  type SMTPServerAuthentication,
  type SMTPServerAuthenticationResponse,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server';
import { makeCertificate, type SelfMadeCertificate } from './self-made-certificate.ts';

export interface SinkMessage {
  readonly from: string;
  readonly recipients: readonly string[];
  /** As received, with dot-stuffing removed. */
  readonly raw: Buffer;
  readonly tls: boolean;
  readonly user: string | null;
  /** Identifies the connection. */
  readonly connection: string;
}

/**
 * What the sink does instead of replying 250: another reply (421 also closes the connection), `drop` the connection, `stall` without
 * responding, or `keep-and-drop`: store the message, then drop the connection without a reply.
 */
type SinkReply = { readonly code: number; readonly text: string } | 'drop' | 'stall' | 'keep-and-drop';

type Hook<Subject> = (subject: Subject) => SinkReply | undefined | Promise<SinkReply | undefined>;

export interface SinkReplies {
  /** Called with the number of the connection, starting at 1. */
  readonly connect?: Hook<number>;
  readonly sender?: Hook<string>;
  readonly recipient?: Hook<string>;
  /** Called after the final dot. */
  readonly message?: Hook<SinkMessage>;
}

export interface SmtpSinkOptions {
  readonly tls?: 'none' | 'starttls' | 'implicit';
  readonly certificate?: SelfMadeCertificate;
  /** Requires this login, also without TLS. */
  readonly auth?: { readonly user: string; readonly pass: string; readonly methods?: readonly ('PLAIN' | 'LOGIN')[] };
  readonly replies?: SinkReplies;
  readonly pipelining?: boolean;
  readonly maxMessageBytes?: number;
  readonly port?: number;
  /** Default 127.0.0.1; other loopback addresses act as other hosts on the same port. */
  readonly host?: string;
}

export interface SmtpSink {
  readonly port: number;
  /** Every received message, in order. */
  readonly messages: readonly SinkMessage[];
  /** The number of connections so far. */
  readonly connections: number;
  readonly openConnections: number;
  /** Resolves with the messages once there are `count`. */
  waitFor(count: number): Promise<readonly SinkMessage[]>;
  /** Drops every connection and stops listening. */
  close(): Promise<void>;
}

/** A real SMTP server on loopback that stores what it receives and can be configured to misbehave. */
export async function startSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const messages: SinkMessage[] = [];
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer(options, {
    countConnection: () => {
      connections += 1;
      return connections;
    },
    keep: (message) => {
      messages.push(message);
      for (const look of waiting) look();
    },
  });
  server.on('error', () => undefined);
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
  });
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port, // A TCP server that listens has no other kind of address.
    messages,
    get connections() {
      return connections;
    },
    get openConnections() {
      return sockets.size;
    },
    waitFor: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (messages.length < count) return;
          waiting.delete(look);
          resolve(messages);
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface Book {
  readonly countConnection: () => number;
  readonly keep: (message: SinkMessage) => void;
}

type Callback = (error?: Error | null, text?: string) => void;

function createServer(options: SmtpSinkOptions, book: Book): SMTPServer {
  const { auth, replies = {}, tls = 'none' } = options;
  const certificate = tls === 'none' ? undefined : (options.certificate ?? makeCertificate(['localhost', '127.0.0.1']));
  const server: SMTPServer = new SMTPServer({
    ...certificate,
    secure: tls === 'implicit',
    disableReverseLookup: true,
    authOptional: auth === undefined,
    authMethods: [...(auth?.methods ?? ['PLAIN', 'LOGIN'])],
    allowInsecureAuth: true,
    hideENHANCEDSTATUSCODES: true,
    hidePIPELINING: options.pipelining === false,
    disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(auth === undefined ? ['AUTH'] : [])],
    ...(options.maxMessageBytes === undefined ? {} : { size: options.maxMessageBytes }),
    onAuth: (login, _session, callback) => checkLogIn(auth, login, callback),
    onConnect: (session, callback) => {
      void respond(server, session, callback, replies.connect?.(book.countConnection()) ?? skip(book, replies));
    },
    onMailFrom: ({ address }, session, callback) => {
      void respond(server, session, callback, replies.sender?.(address));
    },
    onRcptTo: ({ address }, session, callback) => {
      void respond(server, session, callback, replies.recipient?.(address));
    },
    onData: (stream, session, callback) => {
      void takeMessage(server, stream, session, callback, replies, book);
    },
  });
  return server;
}

/** Counts the connection if no hook has done so. */
function skip(book: Book, replies: SinkReplies): undefined {
  if (replies.connect === undefined) book.countConnection();
}

async function takeMessage(
  server: SMTPServer,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  callback: Callback,
  replies: SinkReplies,
  book: Book,
): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch {
    return; // The connection was lost before the final dot.
  }
  const message = describeMessage(session, Buffer.concat(chunks));
  const reply = await replies.message?.(message);
  const keeps = reply === undefined || reply === 'keep-and-drop' || (typeof reply === 'object' && reply.code < 300);
  if (keeps) book.keep(message);
  await respond(server, session, callback, reply);
}

function describeMessage(session: SMTPServerSession, raw: Buffer): SinkMessage {
  const { mailFrom, rcptTo } = session.envelope;
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    recipients: rcptTo.map(({ address }) => address),
    raw,
    tls: session.secure,
    user: typeof session.user === 'string' ? session.user : null,
    connection: session.id,
  };
}

async function respond(
  server: SMTPServer,
  session: SMTPServerSession,
  callback: Callback,
  hook: SinkReply | undefined | Promise<SinkReply | undefined>,
): Promise<void> {
  const reply = await hook;
  if (reply === 'stall') return;
  if (reply === 'drop' || reply === 'keep-and-drop') {
    for (const connection of server.connections) if (connection.session === session) connection._socket.destroy();
  } else if (reply === undefined) {
    callback();
  } else if (reply.code < 300) {
    callback(null, reply.text);
  } else {
    callback(Object.assign(new Error(reply.text), { responseCode: reply.code }));
  }
}

function checkLogIn(
  auth: SmtpSinkOptions['auth'],
  login: SMTPServerAuthentication,
  callback: (error: Error | null, response?: SMTPServerAuthenticationResponse) => void,
): void {
  if (auth !== undefined && login.username === auth.user && login.password === auth.pass) {
    callback(null, { user: auth.user });
  } else {
    callback(Object.assign(new Error('5.7.8 Authentication credentials invalid'), { responseCode: 535 }));
  }
}
