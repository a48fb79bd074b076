import type { Socket } from 'node:net';
import { LIMITS } from '@postrider/core';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Certificate } from './certificate.ts';
import {
  type ConnectionPlaces,
  createConnectionPlaces,
  REFUSED_CONNECTIONS,
  type SubmissionConnections,
} from './connection-places.ts';
import { drainServers, listenOn } from './drain-servers.ts';
import { createMessageRoom } from './receive-message.ts';
import { createHandlers, type HandlerOptions, openSession, type SubmissionLimits } from './submission-handlers.ts';
import { createSubmissionLog, type SubmissionEntry } from './submission-log.ts';
import { createSubmissionSessions } from './submission-session.ts';

export interface SubmissionOptions
  extends Pick<
    HandlerOptions,
    'authenticator' | 'rates' | 'tools' | 'sql' | 'clock' | 'sandboxDomain' | 'monthlyQuota' | 'logger'
  > {
  readonly host: string;
  /** STARTTLS; 0 picks a free port. */
  readonly port: number;
  /** Implicit TLS; 0 picks a free port. */
  readonly tlsPort: number;
  /** The name in the server's greeting. */
  readonly name: string;
  readonly certificate: Certificate;
  readonly connections: SubmissionConnections;
  readonly trustedProxies: readonly string[];
  readonly limits?: Partial<SubmissionLimits>;
  readonly logRequest: (entry: SubmissionEntry) => void;
}

export interface SubmissionPorts {
  readonly port: number;
  readonly tlsPort: number;
}

/** Accepts mail over SMTP from clients with an API key (RFC 6409). */
export interface SubmissionServer {
  /** Returns the ports it listens on. @throws what listening throws. */
  listen(): Promise<SubmissionPorts>;
  /** Stops accepting connections and messages, lets running ones finish, and closes every connection with 421. */
  drain(): Promise<void>;
}

const LIMITS_MS: SubmissionLimits = {
  logInMs: 30_000,
  stallMs: 30_000,
  idleMs: 300_000,
  messageMs: 600_000,
  acceptMs: 20_000,
  commitMs: 10_000,
};
/** Five of the largest messages at once. Each needs about three times its size while it is processed. */
const MAX_RECEIVED_BYTES = 5 * LIMITS.encodedMessageBytes;
/** AUTH is the longest command, with about 150 bytes. RFC 5321 §4.5.3.1.4 requires 512. */
const MAX_COMMAND_BYTES = 2_048;
/** Obsolete commands, and commands that let a client act for another one. */
const DISABLED_COMMANDS = ['WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD'];

export function createSubmissionServer(options: SubmissionOptions): SubmissionServer {
  const limits = { ...LIMITS_MS, ...options.limits };
  const sessions = createSubmissionSessions(limits.logInMs);
  const places = createConnectionPlaces({ ...options, handshakeMs: limits.logInMs });
  const handlerOptions: HandlerOptions = {
    ...options,
    sessions,
    places,
    limits,
    room: createMessageRoom(MAX_RECEIVED_BYTES),
    log: createSubmissionLog(options.logRequest),
  };
  const handlers = createHandlers(handlerOptions);
  const create = (secure: boolean) => {
    const server: SMTPServer = new SMTPServer({
      ...settingsFor(options, limits, secure),
      ...handlers,
      onConnect: (session, done) => {
        const refusal = openSession(server, session, handlerOptions);
        if (refusal === null) done();
        else done(refusal);
      },
    });
    limitConnections(server, places);
    // For clients that disconnect in the middle. All other errors are reported where they occur.
    server.on('error', (error) => options.logger.debug({ error: error.message }, 'an SMTP connection failed'));
    return server;
  };
  const servers = [create(false), create(true)] as const;

  async function listen(): Promise<SubmissionPorts> {
    const [port, tlsPort] = [
      await listenOn(servers[0], options.host, options.port),
      await listenOn(servers[1], options.host, options.tlsPort),
    ];
    return { port, tlsPort };
  }

  return { listen, drain: () => drainServers(servers, sessions) };
}

function settingsFor(options: SubmissionOptions, limits: SubmissionLimits, secure: boolean): SMTPServerOptions {
  return {
    ...options.certificate,
    minVersion: 'TLSv1.2',
    secure,
    name: options.name,
    heloResponse: '%s',
    logger: false,
    disableReverseLookup: true,
    authMethods: ['PLAIN', 'LOGIN'],
    disabledCommands: DISABLED_COMMANDS,
    hideENHANCEDSTATUSCODES: false,
    size: LIMITS.encodedMessageBytes,
    maxRecipients: LIMITS.recipientsPerMessage,
    maxCommandLength: MAX_COMMAND_BYTES,
    // More than are ever left open, so that clients see our own limit message and not the library's.
    maxClients: options.connections.total + REFUSED_CONNECTIONS,
    socketTimeout: limits.stallMs,
  };
}

/** Counts every connection before the library handles it. */
function limitConnections({ server, _pendingSockets: handshakes }: SMTPServer, places: ConnectionPlaces): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    // During a TLS handshake the TLS socket must be closed: closing the plain socket below it would end the process.
    const cutOff = () => (handshakes.get(socket) ?? socket).destroy();
    if (places.take(socket, cutOff)) for (const listen of listeners) listen.call(server, socket);
  });
}
