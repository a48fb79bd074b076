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
  /** STARTTLS; 0 takes a free one. */
  readonly port: number;
  /** Implicit TLS; 0 takes a free one. */
  readonly tlsPort: number;
  /** The name the server greets with. */
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

/** Takes mail over SMTP from whoever has a key (RFC 6409). */
export interface SubmissionServer {
  /** Answers the ports it listens on. @throws what listening throws. */
  listen(): Promise<SubmissionPorts>;
  /** Takes no new connections and messages, lets those under way finish, and closes every connection with 421. */
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
/** Five of the largest messages at once; each needs some three times its size while it is worked on. */
const MAX_RECEIVED_BYTES = 5 * LIMITS.encodedMessageBytes;
/** A log-in is the longest line there is, with some 150 octets; RFC 5321 §4.5.3.1.4 asks for 512. */
const MAX_COMMAND_OCTETS = 2_048;
/** Jokes of old servers, and commands that let a client speak for another. */
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
    takePlaces(server, places);
    // Clients that break off in the middle; whatever else goes wrong is told where it happens.
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
    maxCommandLength: MAX_COMMAND_OCTETS,
    // More than are ever left open, so that the refusals of places are what clients read.
    maxClients: options.connections.total + REFUSED_CONNECTIONS,
    socketTimeout: limits.stallMs,
  };
}

/** Has every connection take its place before the library looks at it. */
function takePlaces({ server, _pendingSockets: handshakes }: SMTPServer, places: ConnectionPlaces): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    // During a TLS handshake the socket on top has to be closed: closing the one below it ends the process.
    const cutOff = () => (handshakes.get(socket) ?? socket).destroy();
    if (places.take(socket, cutOff)) for (const listen of listeners) listen.call(server, socket);
  });
}
