import { setTimeout as sleep } from 'node:timers/promises';
import { toAsciiDomain } from '@postrider/core';
import type { Logger } from 'pino';
import type { SMTPServer, SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { countReports, isReturnPathHost } from '../db/queries/inbound-reports.ts';
import { cutOff, findConnection, repairReplies } from '../smtp-submission/connection.ts';
import { type MessageRoom, receiveMessage } from '../smtp-submission/receive-message.ts';
import { SmtpRefusal } from '../smtp-submission/smtp-refusal.ts';
import { type AppliedReport, applyReport, type ReportTools } from './apply-report.ts';
import type { ForgeryCounter } from './forgery-counter.ts';
import { type ReadReport, readReport } from './read-report.ts';
import type { ReportSession, ReportSessions } from './report-sessions.ts';
import { looksLikeReturnPath, type ReadReturnPath, type ReturnPaths } from './return-path.ts';
import { createReturnPathHosts } from './return-path-hosts.ts';

/** Limits for clients. */
export interface ReportLimits {
  readonly maxBytes: number;
  /** From DATA to the end of the message, in milliseconds. */
  readonly messageMs: number;
  /** How long a report waits until its delivery attempt is recorded, in milliseconds. */
  readonly earlyMs: number;
  readonly messagesPerConnection: number;
  readonly refusedPerConnection: number;
}

export interface ReportHandlerOptions extends ReportTools {
  readonly returnPaths: ReturnPaths;
  readonly sessions: ReportSessions;
  readonly forgeries: ForgeryCounter;
  readonly room: MessageRoom;
  /** Limits concurrent database queries and writes, so that enough connections remain for API callers. */
  readonly withPermit: <T>(work: () => Promise<T>) => Promise<T>;
  readonly limits: ReportLimits;
  readonly logger: Logger;
}

type Handlers = Required<Pick<SMTPServerOptions, 'onMailFrom' | 'onRcptTo' | 'onData' | 'onClose'>>;

/** Where feedback loops are registered to send reports, in addition to the return paths. */
const ROLES = new Set(['abuse', 'postmaster', 'fbl']);
const EARLY_POLL_MS = 100;

/** The handlers for each step of a session with a server that delivers reports. */
export function createReportHandlers(options: ReportHandlerOptions): Handlers {
  const { sessions, limits, returnPaths, forgeries } = options;
  const hosts = createReturnPathHosts({
    clock: options.clock,
    lookUp: (host) => options.withPermit(() => isReturnPathHost(options.sql, host)),
  });

  function countMessage(session: SMTPServerSession): void {
    const state = sessions.of(session);
    state.messages += 1;
    if (state.messages > limits.messagesPerConnection) {
      throw new SmtpRefusal(421, '4.5.3', 'Too many messages on one connection, connect again');
    }
  }

  async function checkRecipient(address: string, session: SMTPServerSession): Promise<void> {
    if (returnPaths.read(address) !== null) return;
    const state = sessions.of(session);
    const [, local = '', host = ''] = /^([^@]+)@([^@]+)$/.exec(address.toLowerCase()) ?? [];
    if (ROLES.has(local) && (await isOwnHost(host))) return;
    if (looksLikeReturnPath(address)) forgeries.add();
    state.refusedRecipients += 1;
    const refusal = 'This server only accepts delivery and abuse reports about mail that it has sent';
    if (state.refusedRecipients < limits.refusedPerConnection) throw new SmtpRefusal(550, '5.1.1', refusal);
    throw new SmtpRefusal(421, '4.7.0', 'Too many refused recipients');
  }

  async function isOwnHost(given: string): Promise<boolean> {
    const host = toAsciiDomain(given);
    if (host === null) return false;
    return host === options.sandboxDomain || (await hosts.has(host));
  }

  async function receiveReport(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const raw = await receive(stream, sessions.of(session));
    try {
      const read = readReport(raw);
      const paths = session.envelope.rcptTo.flatMap(({ address }) => returnPaths.read(address) ?? []);
      if (paths.length > 0) await applyToAll(paths, read);
      else await applyByContent(read);
      return '2.0.0 Report accepted';
    } finally {
      options.room.give(raw.length);
    }
  }

  async function receive(stream: SMTPServerDataStream, { connection }: ReportSession): Promise<Buffer> {
    const timer = setTimeout(() => cutOff(connection, 421, '4.4.2 The message took too long'), limits.messageMs);
    const reception = await receiveMessage(stream, limits.maxBytes, options.room).finally(() => clearTimeout(timer));
    switch (reception.kind) {
      case 'whole':
        return reception.raw;
      case 'gone':
        throw new SmtpRefusal(451, '4.4.2', 'The connection was lost');
      case 'no-room':
        throw new SmtpRefusal(452, '4.3.1', 'Too many messages are being received, try again in a moment');
      case 'too-large':
        throw new SmtpRefusal(552, '5.3.4', `A report may have at most ${limits.maxBytes} bytes`);
      case 'invalid': {
        const refusal = new SmtpRefusal(
          554,
          '5.5.2',
          `The message contains a ${reception.fault}; lines must end in CR LF`,
        );
        // The rest may be meant as text or as commands, so none of it is read.
        cutOff(connection, refusal.responseCode, refusal.message);
        throw refusal;
      }
    }
  }

  /**
   * One mail may be about several messages. If one must wait, the sender retries all of them; those already recorded are
   * recognized then.
   */
  async function applyToAll(paths: readonly ReadReturnPath[], read: ReadReport): Promise<void> {
    const results = await Promise.all(paths.map((path) => applyOrWait(path, read)));
    if (results.some(({ outcome }) => outcome === 'too_early')) {
      throw new SmtpRefusal(451, '4.3.0', 'The message that the report is about is still being sent, try again later');
    }
  }

  /** A server that rejects at once may be faster than our own record of the send. */
  async function applyOrWait(path: ReadReturnPath, read: ReadReport): Promise<AppliedReport> {
    const until = performance.now() + limits.earlyMs;
    for (;;) {
      const applied = await options.withPermit(() => applyReport(options, path, read));
      const { outcome, accountId } = applied;
      if (outcome !== 'too_early' || performance.now() >= until) {
        const { messageId } = path;
        options.logger.info({ kind: read.report.kind, outcome, accountId, messageId }, 'an inbound report');
        return applied;
      }
      await sleep(EARLY_POLL_MS);
    }
  }

  /** A feedback loop sends all its reports to one address: only the return path of the enclosed message identifies the account. */
  async function applyByContent(read: ReadReport): Promise<void> {
    const { report } = read;
    if (report.kind !== 'abuse') {
      throw new SmtpRefusal(
        554,
        '5.6.0',
        'This address only accepts abuse reports in the format of RFC 5965 and is not monitored',
      );
    }
    const [path] = report.returnPaths.flatMap((address) => returnPaths.read(address) ?? []);
    if (path !== undefined) return await applyToAll([path], read);
    const now = options.clock.now();
    const outcome = report.returnPaths.some(looksLikeReturnPath) ? 'forged' : 'unknown';
    const noAccount = { id: options.ids.next(now), accountId: null, messageId: null };
    await options.withPermit(() =>
      countReports(options.sql, { ...noAccount, kind: report.kind, outcome, count: 1, now }),
    );
    options.logger.info({ kind: report.kind, outcome }, 'an inbound report');
  }

  const refuse = (error: unknown) => toRefusal(error, options.logger);

  return {
    onMailFrom: (_address, session, done) => {
      try {
        countMessage(session);
        done();
      } catch (error) {
        done(refuse(error));
      }
    },
    onRcptTo: ({ address }, session, done) =>
      void checkRecipient(address, session).then(
        () => done(),
        (error: unknown) => done(refuse(error)),
      ),
    onData: (stream, session, done) => {
      const state = sessions.of(session);
      state.message = receiveReport(stream, session)
        .then(
          (text) => done(null, text),
          (error: unknown) => done(refuse(error)),
        )
        .finally(() => {
          state.message = null;
        });
    },
    onClose: (session) => sessions.close(session),
  };
}

/** Starts a session, or refuses the client. The library calls this with the server when a client has connected. */
export function openReportSession(
  server: SMTPServer,
  session: SMTPServerSession,
  sessions: ReportSessions,
): SmtpRefusal | null {
  const connection = findConnection(server, session);
  if (connection === null) throw new Error('an SMTP session has no connection');
  repairReplies(connection);
  if (!sessions.hasRoom(session.remoteAddress)) {
    return new SmtpRefusal(421, '4.7.0', 'Too many connections from your address, try again in a moment');
  }
  sessions.open(session, connection);
  return null;
}

/** An error that is not our rejection is an internal error: the client should send the report again. */
function toRefusal(error: unknown, logger: Logger): SmtpRefusal {
  if (error instanceof SmtpRefusal) return error;
  const isAway = classifyDatabaseError(error) === 'unavailable';
  if (!isAway)
    logger.error({ error: error instanceof Error ? error.stack : String(error) }, 'recording a report failed');
  return new SmtpRefusal(
    451,
    '4.3.0',
    `${isAway ? 'Temporarily unavailable' : 'An internal error occurred'}, try again`,
  );
}
