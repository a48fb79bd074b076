import type { SmtpCredentials } from './smtp-auth.ts';
import type { SmtpCapabilities } from './smtp-capabilities.ts';
import { type SmtpAddress, SmtpChannel } from './smtp-channel.ts';
import { SmtpFault } from './smtp-fault.ts';
import { assertHeloName, type HandshakeResult, shakeHands, type TlsPolicy } from './smtp-handshake.ts';
import type { SmtpMessage } from './smtp-message.ts';
import { SmtpTransaction, type TransactionStep } from './smtp-transaction.ts';
import type { RecipientVerdict } from './transport.ts';

export interface SmtpTimeouts {
  /** For the TCP connection, and again for the TLS handshake. */
  readonly connectMs: number;
  /** For the greeting, and for each reply but the last of a message. */
  readonly commandMs: number;
  /** From the final dot to the reply: the server may scan the message meanwhile. */
  readonly afterDotMs: number;
  /** How long a connection without work is kept. */
  readonly idleMs: number;
}

/** For a relay. */
export const RELAY_TIMEOUTS: SmtpTimeouts = {
  connectMs: 30_000,
  commandMs: 120_000,
  afterDotMs: 120_000,
  idleMs: 60_000,
};

/** For a server found by its MX: the 600 s after the dot are those of RFC 5321, section 4.5.3.2.6. */
export const DIRECT_TIMEOUTS: SmtpTimeouts = { ...RELAY_TIMEOUTS, afterDotMs: 600_000 };

/** Messages a connection carries before it is closed: some servers cut longer ones off. */
const MAX_MESSAGES_PER_CONNECTION = 100;

export interface SmtpConnectionOptions extends SmtpAddress {
  /** The name we give in EHLO. */
  readonly heloName: string;
  readonly tls: TlsPolicy;
  readonly credentials: SmtpCredentials | null;
  /** Whether the credentials may go over a channel that proves nothing about who is at its other end. */
  readonly credentialsAnywhere: boolean;
  readonly timeouts: SmtpTimeouts;
  readonly maxMessages?: number;
  /** Called where TLS was offered and failed, and the mail is now to go without it. */
  readonly onTlsGivenUp?: (fault: SmtpFault) => void;
}

/** `stale`: a kept connection turned out to be gone before anything of the message's body was sent; another may be tried at once. */
export type SendResult = readonly RecipientVerdict[] | 'stale';

// A body up to this size goes out in one write together with its final dot: copying it costs less than a second write.
const JOINED_WRITE_OCTETS = 65_536;

// A larger body goes out in slices, each with the whole command timeout, so that a slow line is no fault.
const SLICE_OCTETS = 262_144;

const QUIT_TIMEOUT_MS = 5_000;

/** Opens a connection that is ready for mail. Rejects with SmtpFault; with TypeError for an EHLO name that is none. */
export async function openSmtpConnection(options: SmtpConnectionOptions): Promise<SmtpConnection> {
  assertHeloName(options.heloName);
  try {
    return await openOnce(options);
  } catch (error) {
    // A server whose TLS is broken still gets its mail where TLS is a courtesy: without it, as if it had offered none.
    const isCourtesy = options.tls.mode === 'opportunistic' && error instanceof SmtpFault && error.kind === 'tls';
    if (!isCourtesy) throw error;
    options.onTlsGivenUp?.(error);
    return await openOnce({ ...options, tls: { mode: 'none', verify: false } });
  }
}

async function openOnce(options: SmtpConnectionOptions): Promise<SmtpConnection> {
  const channel = new SmtpChannel(options);
  const { connectMs, commandMs } = options.timeouts;
  const result = await shakeHands(channel, { ...options, connectTimeoutMs: connectMs, commandTimeoutMs: commandMs });
  // A server may close in the same breath as its last answer.
  if (channel.fault !== null) throw channel.fault;
  return new SmtpConnection(channel, result, options);
}

/** An open connection: one message at a time, many in its life. */
export class SmtpConnection {
  /** Called once, as soon as the connection can take no further message: it was lost, or is being left. */
  onGone: (() => void) | null = null;

  readonly secured: boolean;
  /** Resolves when the connection is closed, whoever closed it. */
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
  #answered = 0;
  #settle: ((result: SendResult) => void) | null = null;
  #isLeaving = false;
  #noteClosed: () => void = () => undefined;

  constructor(
    channel: SmtpChannel,
    { capabilities, server, secured }: HandshakeResult,
    options: SmtpConnectionOptions,
  ) {
    this.secured = secured;
    this.#channel = channel;
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

  /** True when a message can be given to this connection now. */
  get isReady(): boolean {
    const isWorn = this.#isLeaving || this.#messages >= this.#maxMessages;
    return this.#transaction === null && this.#channel.fault === null && !isWorn;
  }

  /** Hands one message over. To be called only while `isReady`; never rejects. */
  send(message: SmtpMessage): Promise<SendResult> {
    if (!this.isReady) return Promise.resolve('stale');
    const obstacle = this.#findObstacle(message);
    const transaction = new SmtpTransaction(message, this.#capabilities, this.#server, this.#needsReset);
    if (obstacle !== null) return Promise.resolve(transaction.refuse(obstacle));
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#message = message;
      this.#transaction = transaction;
      this.#messages += 1;
      this.#answered = 0;
      this.#channel.onDeadline = null;
      this.#channel.onReply = this.#takeReply;
      this.#write(transaction.begin());
    });
  }

  /** Says QUIT and closes. To be called only between messages. Resolves when it is closed, after some seconds at most. */
  async quit(): Promise<void> {
    if (this.#isLeaving || this.#channel.fault !== null) return this.closed;
    this.#isLeaving = true;
    this.#channel.onDeadline = null;
    this.#tellGone();
    // A server that is gone already, or says something else, has the same effect: we close.
    await this.#channel.ask('QUIT', QUIT_TIMEOUT_MS, 'the answer to QUIT').catch(() => undefined);
    this.#channel.fail('lost', 'was left');
  }

  /** Closes at once, also in the middle of a message: its recipients without an answer are deferred. */
  abort(): void {
    this.#channel.fail('lost', 'was left in the middle of a stop');
  }

  /** What this server cannot do that the message needs, before anything is written. */
  #findObstacle(message: SmtpMessage): string | null {
    const { maxMessageOctets, smtpUtf8 } = this.#capabilities;
    if (maxMessageOctets !== null && message.octets > maxMessageOctets) {
      return `The message has ${message.octets} octets and the server takes at most ${maxMessageOctets}.`;
    }
    if (message.needsSmtpUtf8 && !smtpUtf8) return 'An address is not ASCII, and the server does not offer SMTPUTF8.';
    return null;
  }

  readonly #takeReply = (code: number, text: string): void => {
    const transaction = this.#transaction;
    if (transaction === null) return;
    // A server closes a connection that was idle too long with a 421, which then seems to answer our first command.
    const isIdleClose = code === 421 && this.#answered === 0 && this.#messages > 1;
    this.#answered += 1;
    if (isIdleClose) this.#giveUp('stale');
    else this.#take(transaction.onReply(code, text), transaction);
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
    this.#channel.write(commands, this.#message?.needsSmtpUtf8 ? 'utf8' : 'latin1', this.#timeouts.commandMs);
  }

  #sendBody(transaction: SmtpTransaction): void {
    const message = this.#message;
    if (message === null) return;
    const { body, end } = message;
    if (body.length > JOINED_WRITE_OCTETS) {
      this.#sendSlices(transaction, body, end, 0);
      return;
    }
    const octets = Buffer.allocUnsafe(body.length + end.length);
    body.copy(octets);
    octets.write(end, body.length, 'latin1');
    transaction.noteDotWritten();
    this.#channel.writeOctets(octets, this.#timeouts.afterDotMs);
  }

  /** Writes the next slice, and the rest once that has gone. */
  #sendSlices(transaction: SmtpTransaction, body: Buffer, end: string, from: number): void {
    if (this.#transaction !== transaction) return;
    const slice = body.subarray(from, from + SLICE_OCTETS);
    const next = from + slice.length;
    if (next < body.length) {
      const goOn = () => this.#sendSlices(transaction, body, end, next);
      this.#channel.writeOctets(slice, this.#timeouts.commandMs, goOn);
      return;
    }
    transaction.noteDotWritten();
    this.#channel.writeOctets(slice, this.#timeouts.afterDotMs);
    this.#channel.write(end, 'latin1', this.#timeouts.afterDotMs);
  }

  #finish(transaction: SmtpTransaction): void {
    this.#needsReset = transaction.leavesOpen;
    const settle = this.#forget();
    this.#rest();
    settle?.(transaction.verdicts);
  }

  /** Ends the connection together with its message. */
  #giveUp(result: SendResult): void {
    const settle = this.#forget();
    this.#channel.fail('lost', 'is closing the connection');
    settle?.(result);
  }

  #onFault(fault: SmtpFault): void {
    this.#tellGone();
    this.#noteClosed();
    const transaction = this.#transaction;
    if (transaction === null) return;
    const settle = this.#forget();
    const isStale = fault.kind === 'lost' && this.#messages > 1 && transaction.canStartOver;
    if (fault.kind === 'protocol') transaction.failConfused(fault.message);
    else transaction.failUndecided(fault.message);
    settle?.(isStale ? 'stale' : transaction.verdicts);
  }

  #tellGone(): void {
    const tell = this.onGone;
    this.onGone = null;
    tell?.();
  }

  #forget(): ((result: SendResult) => void) | null {
    const settle = this.#settle;
    this.#settle = null;
    this.#transaction = null;
    this.#message = null;
    return settle;
  }

  /** Waits for the next message. Anything the server says meanwhile ends the connection. */
  #rest(): void {
    this.#channel.onReply = null;
    this.#channel.onDeadline = () => {
      void this.quit();
    };
    this.#channel.extend(this.#timeouts.idleMs);
  }
}
