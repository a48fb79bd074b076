import type { Logger } from 'pino';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { clientShareOf, shareOf } from '../process-share.ts';
import { createSemaphore } from '../semaphore.ts';
import type { Certificate } from '../smtp-submission/certificate.ts';
import { drainServers, listenOn } from '../smtp-submission/drain-servers.ts';
import { createMessageRoom } from '../smtp-submission/receive-message.ts';
import type { ReportTools } from './apply-report.ts';
import { createForgeryCounter } from './forgery-counter.ts';
import { createReportHandlers, openReportSession, type ReportLimits } from './report-handlers.ts';
import { createReportSessions, type ReportSessionLimits } from './report-sessions.ts';
import type { ReturnPaths } from './return-path.ts';

export interface ReportServerLimits extends ReportLimits, ReportSessionLimits {
  /** Without a byte, in milliseconds. */
  readonly stallMs: number;
  /** The most connections in total. */
  readonly connections: number;
}

export interface ReportServerOptions extends ReportTools {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The name in the server's greeting. */
  readonly name: string;
  /** For STARTTLS; null if it is not offered. */
  readonly certificate: Certificate | null;
  readonly returnPaths: ReturnPaths;
  readonly logger: Logger;
  readonly limits?: Partial<ReportServerLimits>;
  /** How many processes of this server share the limits on connections; 1 by default. */
  readonly processes?: number;
}

/** Accepts bounces and abuse reports from any mail server (RFC 5321), for return paths that were made here. */
export interface ReportServer {
  /** Returns the port it listens on. @throws what listening throws. */
  listen(): Promise<number>;
  /** Stops accepting connections and mail, lets running ones finish, and closes every connection with 421. */
  drain(): Promise<void>;
}

/** Reports repeat the start of a message and some have long explanations, but few reach 100 KB. */
const MAX_BYTES = 1_048_576;
const LIMITS: ReportServerLimits = {
  maxBytes: MAX_BYTES,
  messageMs: 30_000,
  earlyMs: 3_000,
  messagesPerConnection: 100,
  refusedPerConnection: 20,
  stallMs: 30_000,
  sessionMs: 300_000,
  connections: 500,
  perAddress: 50,
};
/** The memory for all mail that is being received or processed. */
const MAX_RECEIVED_BYTES = 32 * MAX_BYTES;
const MAX_RECIPIENTS = 50;
const MAX_COMMAND_BYTES = 2_048;
/** Concurrent report writes: a third of the connections that API callers share. */
const WRITTEN_AT_ONCE = 2;
const FLUSH_MS = 1_000;
/** No client authenticates here. The others are obsolete commands, and commands that let a client act for another one. */
const DISABLED_COMMANDS = ['AUTH', 'WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD'];

/** The connections of one process of a server. */
function connectionsOf(processes: number): Pick<ReportServerLimits, 'connections' | 'perAddress'> {
  return {
    connections: shareOf(LIMITS.connections, processes),
    perAddress: clientShareOf(LIMITS.perAddress, processes),
  };
}

export function createReportServer(options: ReportServerOptions): ReportServer {
  const { processes = 1 } = options;
  const limits = { ...LIMITS, ...connectionsOf(processes), ...options.limits };
  const sessions = createReportSessions(limits);
  const forgeries = createForgeryCounter(options);
  const semaphore = createSemaphore(WRITTEN_AT_ONCE);
  const withPermit = async <T>(work: () => Promise<T>): Promise<T> => {
    const release = await semaphore.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  };
  const room = createMessageRoom(MAX_RECEIVED_BYTES);
  const server: SMTPServer = new SMTPServer({
    ...settingsFor(options, limits),
    ...createReportHandlers({ ...options, sessions, forgeries, room, withPermit, limits }),
    onConnect: (session, done) => {
      const refusal = openReportSession(server, session, sessions);
      if (refusal === null) done();
      else done(refusal);
    },
  });
  // For clients that disconnect in the middle. All other errors are reported where they occur.
  server.on('error', (error) => options.logger.debug({ error: error.message }, 'an SMTP connection failed'));
  let flushing: NodeJS.Timeout | null = null;

  return {
    async listen() {
      const port = await listenOn(server, options.host, options.port);
      flushing = setInterval(() => void forgeries.flush(), FLUSH_MS);
      return port;
    },
    async drain() {
      if (flushing !== null) clearInterval(flushing);
      await drainServers([server], sessions);
      await forgeries.flush();
    },
  };
}

function settingsFor({ certificate, name }: ReportServerOptions, limits: ReportServerLimits): SMTPServerOptions {
  return {
    ...(certificate ?? {}),
    minVersion: 'TLSv1.2',
    name,
    heloResponse: '%s',
    logger: false,
    disableReverseLookup: true,
    authOptional: true,
    disabledCommands: certificate === null ? [...DISABLED_COMMANDS, 'STARTTLS'] : DISABLED_COMMANDS,
    hideENHANCEDSTATUSCODES: false,
    size: limits.maxBytes,
    maxRecipients: MAX_RECIPIENTS,
    maxCommandLength: MAX_COMMAND_BYTES,
    maxClients: limits.connections,
    socketTimeout: limits.stallMs,
  };
}
