import { toClientLine } from './conversation-lines.ts';
import type { ConversationLine, TracedConnection } from './exchange.ts';
import type { SmtpCredentials } from './smtp-auth.ts';
import type { SmtpCapabilities } from './smtp-capabilities.ts';
import { type SmtpAddress, SmtpChannel } from './smtp-channel.ts';
import { SmtpFault } from './smtp-fault.ts';
import { assertHeloName, type HandshakeResult, handshake, type TlsPolicy } from './smtp-handshake.ts';
import type { SmtpMessage } from './smtp-message.ts';
import { SmtpTransaction, type TransactionStep } from './smtp-transaction.ts';
import type { RecipientVerdict } from './transport.ts';

export interface SmtpTimeouts {
  /** Applies to the TCP connection, and separately to the TLS handshake. */
  readonly connectMs: number;
  /** Applies to the greeting, and to every reply except the last one of a message. */
  readonly commandMs: number;
  /** From the final dot to the reply, while the server may scan the message. */
  readonly afterDotMs: number;
  /** How long an idle connection is kept open. */
  readonly idleMs: number;
}

/** For a relay. */
export const RELAY_TIMEOUTS: SmtpTimeouts = {
  connectMs: 30_000,
  commandMs: 120_000,
  afterDotMs: 120_000,
  idleMs: 60_000,
};

/** For a server found by MX lookup: the 600 s after the final dot are from RFC 5321, section 4.5.3.2.6. */
export const DIRECT_TIMEOUTS: SmtpTimeouts = { ...RELAY_TIMEOUTS, afterDotMs: 600_000 };

/** Messages sent on one connection before it is closed. Some servers cut off longer ones. */
const MAX_MESSAGES_PER_CONNECTION = 100;

export interface SmtpConnectionOptions extends SmtpAddress {
  /** The name we send in EHLO. */
  readonly heloName: string;
  readonly tls: TlsPolicy;
  readonly credentials: SmtpCredentials | null;
  /** Whether to send credentials over a connection that does not authenticate the server. */
  readonly credentialsAnywhere: boolean;
  readonly timeouts: SmtpTimeouts;
  readonly maxMessages?: number;
  /** Called when the server offered TLS, TLS failed, and the mail is sent without it. */
  readonly onTlsGivenUp?: (fault: SmtpFault) => void;
}

/** `stale`: a kept connection was already closed before any part of the body was sent. The caller may retry on another one at once. */
export type SendResult = readonly RecipientVerdict[] | 'stale';

// A body up to this size is written together with its final dot: copying it is cheaper than a second write.
const JOINED_WRITE_BYTES = 65_536;

// A larger body is written in slices. Each slice gets the whole command timeout, so that a slow link does not fail.
const SLICE_BYTES = 262_144;

const QUIT_TIMEOUT_MS = 5_000;

/** Opens a connection that is ready for mail. Rejects with SmtpFault, or with TypeError for an invalid EHLO name. */
export async function openSmtpConnection(options: SmtpConnectionOptions): Promise<SmtpConnection> {
  assertHeloName(options.heloName);
  try {
    return await openOnce(options);
  } catch (error) {
    // With opportunistic TLS, a server whose TLS is broken gets its mail without TLS, as if it had not offered TLS.
    const isOptional = options.tls.mode === 'opportunistic' && error instanceof SmtpFault && error.kind === 'tls';
    if (!isOptional) throw error;
    options.onTlsGivenUp?.(error);
    const before = [
      ...(error.connection?.lines ?? []),
      toClientLine(`(TLS failed: ${error.message} Connected again without TLS.)`),
    ];
    return await openOnce({ ...options, tls: { mode: 'none', verify: false } }, before);
  }
}

async function openOnce(
  options: SmtpConnectionOptions,
  before: readonly ConversationLine[] = [],
): Promise<SmtpConnection> {
  const channel = new SmtpChannel(options, before);
  const { connectMs, commandMs } = options.timeouts;
  const result = await handshake(channel, { ...options, connectTimeoutMs: connectMs, commandTimeoutMs: commandMs });
  // A server may close the connection together with its last reply.
  if (channel.fault !== null) throw channel.fault;
  return new SmtpConnection(channel, result, options);
}

/** An open connection. It sends one message at a time and is reused for many. */
export class SmtpConnection {
  /** Called once, as soon as the connection accepts no further messages because it was lost or is closing. */
  onGone: (() => void) | null = null;

  readonly secured: boolean;
  /** Resolves when the connection is closed by either side. */
  readonly closed: Promise<void>;
  readonly #channel: SmtpChannel;
  readonly #capabilities: SmtpCapabilities;
  readonly #server: string | null;
  readonly #timeouts: SmtpTimeouts;
  readonly #maxMessages: number;
  #messages = 0;
  #needsReset = false;
  #transaction: SmtpTransaction | null = null;
  #message: SmtpMessage | null = null;
  #replies = 0;
  #settle: ((result: SendResult) => void) | null = null;
  #isLeaving = false;
  readonly #traced: TracedConnection;
  #noteClosed: () => void = () => undefined;

  constructor(
    channel: SmtpChannel,
    { capabilities, server, secured }: HandshakeResult,
    options: SmtpConnectionOptions,
  ) {
    this.secured = secured;
    this.#channel = channel;
    this.#traced = channel.endHandshake();
    this.#capabilities = capabilities;
    this.#server = server ?? options.serverName ?? options.host;
    this.#timeouts = options.timeouts;
    this.#maxMessages = options.maxMessages ?? MAX_MESSAGES_PER_CONNECTION;
    this.closed = new Promise((resolve) => {
      this.#noteClosed = resolve;
    });
    channel.onFault = (fault) => this.#onFault(fault);
    channel.describeAwaited = () => this.#transaction?.awaited ?? 'nothing';
    this.#rest();
  }

  /** True when this connection can send a message now. */
  get isReady(): boolean {
    const isExhausted = this.#isLeaving || this.#messages >= this.#maxMessages;
    return this.#transaction === null && this.#channel.fault === null && !isExhausted;
  }

  /** Sends one message. Call it only while `isReady` is true. Never rejects. */
  send(message: SmtpMessage): Promise<SendResult> {
    if (!this.isReady) return Promise.resolve('stale');
    message.trace?.begin(this.#traced, this.#messages > 0);
    const obstacle = this.#findObstacle(message);
    const transaction = new SmtpTransaction(message, this.#capabilities, this.#server, this.#needsReset);
    if (obstacle !== null) return Promise.resolve(transaction.refuse(obstacle));
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#message = message;
      this.#transaction = transaction;
      this.#messages += 1;
      this.#replies = 0;
      this.#channel.onDeadline = null;
      this.#channel.onReply = this.#takeReply;
      this.#write(transaction.begin());
    });
  }

  /** Sends QUIT and closes. Call it only between messages. Resolves when the connection is closed, after a few seconds at most. */
  async quit(): Promise<void> {
    if (this.#isLeaving || this.#channel.fault !== null) return this.closed;
    this.#isLeaving = true;
    this.#channel.onDeadline = null;
    this.#notifyGone();
    // If the server has already closed, or sends anything else, the result is the same: we close.
    await this.#channel.ask('QUIT', QUIT_TIMEOUT_MS, 'the reply to QUIT').catch(() => undefined);
    this.#channel.fail('lost', 'was left');
  }

  /** Closes at once, even during a message. Recipients without a reply are deferred. */
  abort(): void {
    this.#channel.fail('lost', 'was closed during a shutdown');
  }

  /** Checks, before anything is written, whether the server lacks something that the message needs. */
  #findObstacle(message: SmtpMessage): string | null {
    const { maxMessageBytes, smtpUtf8 } = this.#capabilities;
    if (maxMessageBytes !== null && message.bytes > maxMessageBytes) {
      return `The message is ${message.bytes} bytes and the server accepts at most ${maxMessageBytes}.`;
    }
    if (message.needsSmtpUtf8 && !smtpUtf8) return 'An address is not ASCII, and the server does not offer SMTPUTF8.';
    return null;
  }

  readonly #takeReply = (code: number, text: string): void => {
    const transaction = this.#transaction;
    if (transaction === null) return;
    // A server closes an idle connection with a 421, which would look like the reply to our first command.
    const isIdleClose = code === 421 && this.#replies === 0 && this.#messages > 1;
    this.#replies += 1;
    if (isIdleClose) this.#giveUp('stale');
    else {
      this.#message?.trace?.noteReply(code, text);
      this.#take(transaction.onReply(code, text), transaction);
    }
  };

  #take(step: TransactionStep, transaction: SmtpTransaction): void {
    switch (step.do) {
      case 'wait':
        this.#channel.extend(this.#timeouts.commandMs);
        break;
      case 'write':
        this.#write(step.command);
        break;
      case 'send-body':
        this.#sendBody(transaction);
        break;
      case 'send-lone-dot':
        this.#write('.\r\n');
        break;
      case 'done':
        this.#finish(transaction);
        break;
      case 'start-over':
        this.#giveUp('stale');
        break;
      case 'stop':
        this.#giveUp(transaction.verdicts);
        break;
    }
  }

  #write(commands: string): void {
    this.#message?.trace?.noteCommands(commands);
    this.#channel.write(commands, this.#message?.needsSmtpUtf8 ? 'utf8' : 'latin1', this.#timeouts.commandMs);
  }

  #sendBody(transaction: SmtpTransaction): void {
    const message = this.#message;
    if (message === null) return;
    message.trace?.noteBody(message.bytes);
    const { body, end } = message;
    if (body.length > JOINED_WRITE_BYTES) {
      this.#sendSlices(transaction, body, end, 0);
      return;
    }
    const bytes = Buffer.allocUnsafe(body.length + end.length);
    body.copy(bytes);
    bytes.write(end, body.length, 'latin1');
    transaction.noteDotWritten();
    this.#channel.writeBytes(bytes, this.#timeouts.afterDotMs);
  }

  /** Writes the next slice. When it is sent, continues with the rest. */
  #sendSlices(transaction: SmtpTransaction, body: Buffer, end: string, from: number): void {
    if (this.#transaction !== transaction) return;
    const slice = body.subarray(from, from + SLICE_BYTES);
    const next = from + slice.length;
    if (next < body.length) {
      const sendNext = () => this.#sendSlices(transaction, body, end, next);
      this.#channel.writeBytes(slice, this.#timeouts.commandMs, sendNext);
      return;
    }
    transaction.noteDotWritten();
    this.#channel.writeBytes(slice, this.#timeouts.afterDotMs);
    this.#channel.write(end, 'latin1', this.#timeouts.afterDotMs);
  }

  #finish(transaction: SmtpTransaction): void {
    this.#needsReset = transaction.leavesOpen;
    const settle = this.#forget();
    this.#rest();
    settle?.(transaction.verdicts);
  }

  /** Closes the connection and ends its current message. */
  #giveUp(result: SendResult): void {
    const settle = this.#forget();
    this.#channel.fail('lost', 'is closing the connection');
    settle?.(result);
  }

  #onFault(fault: SmtpFault): void {
    this.#notifyGone();
    this.#noteClosed();
    const transaction = this.#transaction;
    if (transaction === null) return;
    const settle = this.#forget();
    const isStale = fault.kind === 'lost' && this.#messages > 1 && transaction.canStartOver;
    if (fault.kind === 'protocol') transaction.failConfused(fault.message);
    else transaction.failUndecided(fault.message);
    settle?.(isStale ? 'stale' : transaction.verdicts);
  }

  #notifyGone(): void {
    const callback = this.onGone;
    this.onGone = null;
    callback?.();
  }

  #forget(): ((result: SendResult) => void) | null {
    const settle = this.#settle;
    this.#settle = null;
    this.#transaction = null;
    this.#message = null;
    return settle;
  }

  /** One function for all rests: V8 creates a function that is assigned to a property directly in the old generation. */
  readonly #quitWhenIdle = (): void => {
    void this.quit();
  };

  /** Waits for the next message. Anything the server sends in the meantime ends the connection. */
  #rest(): void {
    this.#channel.onReply = null;
    this.#channel.onDeadline = this.#quitWhenIdle;
    this.#channel.extend(this.#timeouts.idleMs);
  }
}
