import { foldAddress, LIMITS } from '@postrider/core';
import type { Logger } from 'pino';
import type {
  SMTPServer,
  SMTPServerAddress,
  SMTPServerAuthentication,
  SMTPServerDataStream,
  SMTPServerOptions,
  SMTPServerSession,
} from 'smtp-server';
import { classifyDatabaseError } from '../db/database-errors.ts';
import type { Caller } from '../keys/caller.ts';
import type { KeyAuthenticator } from '../keys/key-authenticator.ts';
import type { KeyRates } from '../keys/key-rates.ts';
import { createRecipientCheck, type RecipientCheckOptions, readRecipient } from './check-recipient.ts';
import { cutOff, findConnection, joinReplies, repairReplies, setPatience } from './connection.ts';
import type { ConnectionPlaces } from './connection-places.ts';
import { inTime } from './in-time.ts';
import { authenticateSender, readCredentials } from './log-in.ts';
import { type MessageRoom, receiveMessage } from './receive-message.ts';
import { type RefusedStep, refuseBy, SmtpRefusal } from './smtp-refusal.ts';
import type { LoggedStep, SubmissionLog } from './submission-log.ts';
import type { SubmissionSession, SubmissionSessions } from './submission-session.ts';
import { type SubmissionTools, submitMessage } from './submit-message.ts';

export interface HandlerOptions extends RecipientCheckOptions {
  readonly authenticator: KeyAuthenticator;
  readonly rates: KeyRates;
  readonly tools: SubmissionTools;
  readonly sessions: SubmissionSessions;
  readonly places: ConnectionPlaces;
  readonly room: MessageRoom;
  readonly log: SubmissionLog;
  readonly logger: Logger;
  readonly limits: SubmissionLimits;
}

/** Time limits for clients, in milliseconds. */
export interface SubmissionLimits {
  /** From the greeting to authentication. */
  readonly logInMs: number;
  /** Without a byte, during a handshake or a message. */
  readonly stallMs: number;
  /** Without a command, after authentication. RFC 5321 §4.5.3.2.7 requires five minutes. */
  readonly idleMs: number;
  /** From DATA to the end of the message. */
  readonly messageMs: number;
  /** From the end of the message to its commit. */
  readonly acceptMs: number;
  /** For the result of a commit that has started by then. */
  readonly commitMs: number;
}

type Handlers = Required<Pick<SMTPServerOptions, 'onAuth' | 'onMailFrom' | 'onRcptTo' | 'onData' | 'onClose'>>;

const MAX_FAILED_LOG_INS = 3;
/** The MAIL parameters that are supported: RFC 1870, RFC 6152, RFC 6531. RFC 4954 §5 requires AUTH to be accepted, and it is ignored. */
const MAIL_PARAMETERS = ['SIZE', 'BODY', 'SMTPUTF8', 'AUTH'];

/** The handlers for each step of an SMTP session. */
export function createHandlers(options: HandlerOptions): Handlers {
  const { authenticator, sessions, limits } = options;
  const checkRecipient = createRecipientCheck(options);
  const refusalOf = (error: unknown, step: RefusedStep) => toRefusal(error, step, options.logger);

  async function logIn(auth: SMTPServerAuthentication, session: SMTPServerSession): Promise<void> {
    const state = sessions.of(session);
    try {
      const keyHash = readCredentials(auth);
      await authenticateSender(authenticator, keyHash, session.remoteAddress, 'log-in');
      state.keyHash = keyHash;
    } catch (error) {
      const refusal = refusalOf(error, 'log-in');
      if (refusal.responseCode === 535) state.failedLogIns += 1;
      if (state.failedLogIns < MAX_FAILED_LOG_INS) throw refusal;
      throw new SmtpRefusal(421, '4.7.0', `${refusal.text} Too many failed logins.`);
    }
    clearTimeout(state.logInTimer);
    options.places.logIn(session);
    setPatience(state.connection, limits.idleMs);
  }

  async function acceptSender(address: SMTPServerAddress, session: SMTPServerSession): Promise<void> {
    const state = sessions.of(session);
    state.sender = null;
    try {
      refuseParameters(address, MAIL_PARAMETERS);
      const sender = await authenticateSender(authenticator, state.keyHash, session.remoteAddress, 'sender');
      await enforceKeyRate(sender, session);
      state.sender = sender;
    } catch (error) {
      throw refusalOf(error, 'sender');
    }
  }

  /** Each message counts as one request of its key. @throws SmtpRefusal if the key has used its limit for this minute. */
  async function enforceKeyRate(caller: Caller, session: SMTPServerSession): Promise<void> {
    const began = performance.now();
    const { ok, limit, retryAfterSeconds } = await options.rates.take(caller);
    if (ok) return;
    const detail = `the key has used its ${limit} requests for this minute; wait ${retryAfterSeconds} s.`;
    const refusal = refuseBy('rate_limited', detail, 'sender');
    options.log.refused({ session, caller, name: 'MAIL', began }, refusal);
    throw refusal;
  }

  async function acceptRecipient(address: SMTPServerAddress, session: SMTPServerSession): Promise<void> {
    const began = performance.now();
    const { sender, keyHash } = sessions.of(session);
    if (sender === null) throw new SmtpRefusal(503, '5.5.1', 'Send MAIL first');
    const step = { session, caller: sender, name: 'RCPT', began } as const;
    try {
      refuseParameters(address, []);
      const recipient = recipientOf(address);
      const caller = await authenticateSender(authenticator, keyHash, session.remoteAddress, 'sender');
      await checkRecipient(caller, recipient, envelopeOf(session));
    } catch (error) {
      const refusal = refusalOf(error, 'recipient');
      options.log.refused(step, refusal);
      throw refusal;
    }
  }

  async function acceptMessage(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const state = sessions.of(session);
    const { sender } = state;
    if (sender === null) throw new SmtpRefusal(503, '5.5.1', 'Send MAIL first');
    const step = { session, caller: sender, name: 'DATA', began: performance.now() } as const;
    setPatience(state.connection, limits.stallMs);
    try {
      const raw = await receive(stream, state);
      try {
        return await submit(raw, session, state, step);
      } finally {
        options.room.give(raw.length);
      }
    } catch (error) {
      const refusal = refusalOf(error, 'message');
      options.log.refused(step, refusal);
      throw refusal;
    } finally {
      state.sender = null;
      setPatience(state.connection, limits.idleMs);
    }
  }

  async function receive(stream: SMTPServerDataStream, { connection }: SubmissionSession): Promise<Buffer> {
    const timer = setTimeout(() => cutOff(connection, 421, '4.4.2 The message took too long'), limits.messageMs);
    const reception = await receiveMessage(stream, LIMITS.encodedMessageBytes, options.room);
    clearTimeout(timer);
    switch (reception.kind) {
      case 'whole':
        return reception.raw;
      case 'gone':
        throw new SmtpRefusal(451, '4.4.2', 'The connection was lost');
      case 'no-room':
        throw new SmtpRefusal(452, '4.3.1', 'Too many messages are being received, try again in a moment');
      case 'too-large':
        throw new SmtpRefusal(
          552,
          '5.3.4',
          `payload_too_large: a message may have at most ${LIMITS.encodedMessageBytes} bytes`,
        );
      case 'invalid': {
        const text = `the message contains a ${reception.fault}; its lines must end in CR LF`;
        const refusal = new SmtpRefusal(554, '5.5.2', `validation_failed: ${text}`, 'validation_failed');
        // The rest may be meant as text or as commands, so none of it is read.
        cutOff(connection, refusal.responseCode, refusal.message);
        throw refusal;
      }
    }
  }

  async function submit(
    raw: Buffer,
    session: SMTPServerSession,
    state: SubmissionSession,
    step: LoggedStep,
  ): Promise<string> {
    const caller = await authenticateSender(authenticator, state.keyHash, session.remoteAddress, 'sender');
    const times = { limitMs: limits.acceptMs, graceMs: limits.commitMs, gone: state.gone.signal };
    const outcome = await inTime(times, (claim) =>
      submitMessage(options.tools, caller, raw, envelopeOf(session), claim),
    );
    if (outcome.kind === 'late') {
      throw refuseBy('unavailable', 'the message could not be accepted in time, try again.', 'message');
    }
    const { id, status } = outcome.value;
    options.log.accepted(step, id);
    return `2.0.0 ${status === 'queued' ? 'queued' : 'held for approval'} as ${id}`;
  }

  return {
    onAuth: (auth, session, done) => void logIn(auth, session).then(() => done(null, { user: auth.username }), done),
    onMailFrom: (address, session, done) => void acceptSender(address, session).then(() => done(), done),
    onRcptTo: (address, session, done) => void acceptRecipient(address, session).then(() => done(), done),
    onData: (stream, session, done) => {
      const state = sessions.of(session);
      state.message = acceptMessage(stream, session)
        .then((text) => done(null, text), done)
        .finally(() => {
          state.message = null;
        });
    },
    onClose: (session) => {
      options.places.end(session);
      sessions.close(session);
    },
  };
}

/** Starts a session, or refuses the client. The library calls this with the server when a client has connected. */
export function openSession(
  server: SMTPServer,
  session: SMTPServerSession,
  options: HandlerOptions,
): SmtpRefusal | null {
  const connection = findConnection(server, session);
  if (connection === null) throw new Error('an SMTP session has no connection');
  repairReplies(connection);
  joinReplies(connection);
  const refusal = options.places.begin(session);
  if (refusal === null) options.sessions.open(session, connection);
  return refusal;
}

/** The recipients accepted so far, parsed by the same parser that checked them, without duplicates: a domain can be written in two ways. */
function envelopeOf({ envelope }: SMTPServerSession): readonly string[] {
  const addresses = envelope.rcptTo.map(recipientOf);
  const [only] = addresses;
  if (only !== undefined && addresses.length === 1) return [only];
  return [...new Map(addresses.map((address) => [foldAddress(address), address])).values()];
}

/** By the library's object for each RCPT command: every later recipient and the message need the earlier ones again. */
const RECIPIENTS = new WeakMap<SMTPServerAddress, string>();

/** @throws SmtpRefusal */
function recipientOf(given: SMTPServerAddress): string {
  const known = RECIPIENTS.get(given);
  if (known !== undefined) return known;
  const recipient = readRecipient(given.address);
  RECIPIENTS.set(given, recipient);
  return recipient;
}

/** Otherwise what a parameter asks for would be silently ignored (RFC 5321 §4.1.1.11). */
function refuseParameters({ args }: SMTPServerAddress, known: readonly string[]): void {
  const unknown = Object.keys(args || {}).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new SmtpRefusal(555, '5.5.4', `Unknown parameter ${unknown.join(', ')}`);
}

function toRefusal(error: unknown, step: RefusedStep, logger: Logger): SmtpRefusal {
  if (error instanceof SmtpRefusal) return error;
  if (classifyDatabaseError(error) === 'unavailable') {
    return refuseBy('unavailable', 'temporarily unavailable, try again in a moment.', step);
  }
  logger.error({ error: error instanceof Error ? error.stack : String(error) }, 'an SMTP command failed');
  return refuseBy('internal', 'an internal error occurred, try again.', step);
}
