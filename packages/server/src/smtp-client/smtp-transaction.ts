import type { SmtpCapabilities } from './smtp-capabilities.ts';
import { mailCommand, recipientCommand, type SmtpMessage } from './smtp-message.ts';
import { toServerReply } from './smtp-reply-text.ts';
import type { RecipientVerdict, ServerReply, VerdictOutcome } from './transport.ts';

/**
 * What the connection does next: wait for another reply, write a command, send the body and its dot, send only the dot,
 * retry on another connection, or stop because every recipient has a verdict (`done`; `stop` when the connection must be
 * closed too).
 */
export type TransactionStep =
  | { readonly do: 'wait' | 'send-body' | 'send-lone-dot' | 'start-over' | 'done' | 'stop' }
  | { readonly do: 'write'; readonly command: string };

const WAIT: TransactionStep = { do: 'wait' };
const SEND_BODY: TransactionStep = { do: 'send-body' };
const SEND_LONE_DOT: TransactionStep = { do: 'send-lone-dot' };
const START_OVER: TransactionStep = { do: 'start-over' };
const DONE: TransactionStep = { do: 'done' };
const STOP: TransactionStep = { do: 'stop' };

/** The reply we are waiting for. During `body` the body is being written and no reply is expected. */
type Phase = 'reset' | 'sender' | 'recipients' | 'data' | 'body' | 'final' | 'lone-dot' | 'over';

const AWAITED: Readonly<Record<Phase, string>> = {
  reset: 'the reply to RSET',
  sender: 'the reply to MAIL FROM',
  recipients: 'the reply to RCPT TO',
  data: 'the reply to DATA',
  body: 'the message to be read',
  final: 'the reply to the message',
  'lone-dot': 'the reply to an empty message',
  over: 'nothing more',
};

/**
 * One mail transaction of RFC 5321 with the pipelining of RFC 2920, without a socket: the input is replies, the output is steps. An
 * out-of-place reply may mean that earlier replies were matched to the wrong commands, so it also withdraws the verdicts given so far: a
 * recipient must never be reported as bad by mistake.
 */
export class SmtpTransaction {
  readonly #message: SmtpMessage;
  readonly #capabilities: SmtpCapabilities;
  readonly #server: string | null;
  readonly #verdicts: (RecipientVerdict | null)[];
  #phase: Phase;
  #recipientsReplied = 0;
  #undecided: number;
  #senderTaken = false;

  /** @param reset true when the previous transaction was left open and must be ended with RSET. */
  constructor(message: SmtpMessage, capabilities: SmtpCapabilities, server: string | null, reset: boolean) {
    this.#message = message;
    this.#capabilities = capabilities;
    this.#server = server;
    this.#verdicts = new Array<RecipientVerdict | null>(message.recipients.length).fill(null);
    this.#undecided = message.recipients.length;
    this.#phase = reset ? 'reset' : 'sender';
  }

  /** The first commands to write: the whole envelope if the server supports pipelining. */
  begin(): string {
    const reset = this.#phase === 'reset' ? 'RSET\r\n' : '';
    const sender = mailCommand(this.#message, this.#capabilities);
    if (!this.#capabilities.pipelining) return reset === '' ? sender : reset;
    let envelope = reset + sender;
    for (const recipient of this.#message.recipients) envelope += recipientCommand(recipient, this.#capabilities);
    return `${envelope}DATA\r\n`;
  }

  /** Every recipient's verdict. Complete after `done`, `stop`, or one of the fail methods. */
  get verdicts(): readonly RecipientVerdict[] {
    return this.#verdicts.filter((verdict) => verdict !== null);
  }

  /** True while no part of the body has been written and at least one recipient has no verdict. */
  get canStartOver(): boolean {
    return this.#undecided > 0 && this.#phase !== 'body' && this.#phase !== 'final';
  }

  /** True when the server has an open transaction that the next message must reset. */
  get leavesOpen(): boolean {
    return this.#senderTaken;
  }

  /** Names the reply we are waiting for, for the reason of a fault. */
  get awaited(): string {
    return AWAITED[this.#phase];
  }

  onReply(code: number, text: string): TransactionStep {
    if (code === 421) return this.#closeWith(code, text);
    switch (this.#phase) {
      case 'reset':
        return isPositive(code) ? this.#enterSender() : START_OVER;
      case 'sender':
        return this.#takeSenderReply(code, text);
      case 'recipients':
        return this.#takeRecipientReply(code, text);
      case 'data':
        return this.#takeDataReply(code, text);
      case 'body':
        return this.#takeEarlyReply(code, text);
      case 'final':
        return this.#takeFinalReply(code, text);
      case 'lone-dot':
        this.#phase = 'over';
        return DONE;
      case 'over':
        return this.#failOutOfPlace(code);
    }
  }

  /** Call this when the final dot has been written to the socket: from then on, the outcome of a lost connection is ambiguous. */
  noteDotWritten(): void {
    this.#phase = 'final';
  }

  /** Refuses every recipient before anything is written, for a reason on our side. */
  refuse(reason: string): readonly RecipientVerdict[] {
    this.#decideAll('refused', null, reason, false);
    return this.verdicts;
  }

  /** Defers the recipients without a verdict because the connection was lost. */
  failUndecided(reason: string): void {
    this.#decideAll('deferred', null, reason, this.#phase === 'final');
  }

  /**
   * Defers recipients after an invalid reply. Before the body, that is all of them. A server that replied 354 to DATA
   * was in sync until then, so its replies to the recipients remain valid.
   */
  failConfused(reason: string): void {
    if (this.#phase !== 'body' && this.#phase !== 'final') this.#verdicts.fill(null);
    this.failUndecided(reason);
  }

  #enterSender(): TransactionStep {
    this.#phase = 'sender';
    if (this.#capabilities.pipelining) return WAIT;
    return { do: 'write', command: mailCommand(this.#message, this.#capabilities) };
  }

  #takeSenderReply(code: number, text: string): TransactionStep {
    const outcome = outcomeOf(code);
    if (outcome === null) return this.#failOutOfPlace(code);
    if (outcome === 'accepted') this.#senderTaken = true;
    else this.#decideAll(outcome, this.#reply(code, text, false), SENDER_REASONS[outcome], false);
    this.#phase = 'recipients';
    if (this.#capabilities.pipelining) return WAIT;
    return outcome === 'accepted' ? this.#writeNextRecipient() : this.#finish();
  }

  #takeRecipientReply(code: number, text: string): TransactionStep {
    const outcome = outcomeOf(code);
    if (outcome === null) return this.#failOutOfPlace(code);
    const at = this.#recipientsReplied;
    this.#recipientsReplied += 1;
    if (outcome !== 'accepted' && this.#senderTaken) this.#decideRecipient(at, outcome, this.#reply(code, text, true));
    if (this.#recipientsReplied < this.#message.recipients.length) {
      return this.#capabilities.pipelining ? WAIT : this.#writeNextRecipient();
    }
    this.#phase = 'data';
    if (this.#capabilities.pipelining) return WAIT;
    return this.#undecided > 0 ? { do: 'write', command: 'DATA\r\n' } : this.#finish();
  }

  #takeDataReply(code: number, text: string): TransactionStep {
    if (code === 354) {
      // RFC 2920, section 3.1: a server may reply 354 although it accepted no recipient, and then waits for the dot.
      this.#phase = this.#undecided > 0 ? 'body' : 'lone-dot';
      this.#senderTaken = false;
      return this.#undecided > 0 ? SEND_BODY : SEND_LONE_DOT;
    }
    if (this.#undecided > 0) {
      const outcome = outcomeOf(code);
      if (outcome === null || outcome === 'accepted') return this.#failOutOfPlace(code);
      this.#decideAll(outcome, this.#reply(code, text, this.#undecided === 1), MESSAGE_REASONS[outcome], false);
    }
    return this.#finish();
  }

  /**
   * A rejection before the dot, from a server that has read enough. The rest of the body is already being sent, so the
   * connection must close.
   */
  #takeEarlyReply(code: number, text: string): TransactionStep {
    const outcome = outcomeOf(code);
    if (outcome === null || outcome === 'accepted') return this.#failOutOfPlace(code);
    this.#decideAll(outcome, this.#reply(code, text, this.#undecided === 1), MESSAGE_REASONS[outcome], false);
    this.#phase = 'over';
    return STOP;
  }

  #takeFinalReply(code: number, text: string): TransactionStep {
    const outcome = outcomeOf(code);
    if (outcome === null) return this.#failOutOfPlace(code);
    this.#decideAll(outcome, this.#reply(code, text, this.#undecided === 1), MESSAGE_REASONS[outcome], false);
    return this.#finish();
  }

  /** RFC 5321, section 3.8: 421 may be the reply to any command, and the server closes the connection after it. */
  #closeWith(code: number, text: string): TransactionStep {
    this.#decideAll('deferred', this.#reply(code, text, false), 'The server is closing the connection.', false);
    this.#phase = 'over';
    return STOP;
  }

  #failOutOfPlace(code: number): TransactionStep {
    this.failConfused(`The server replied ${code} while we waited for ${this.awaited}, which is not a valid reply.`);
    this.#phase = 'over';
    return STOP;
  }

  #finish(): TransactionStep {
    this.#phase = 'over';
    return DONE;
  }

  #writeNextRecipient(): TransactionStep {
    const recipient = this.#message.recipients[this.#recipientsReplied] ?? '';
    return { do: 'write', command: recipientCommand(recipient, this.#capabilities) };
  }

  #decideRecipient(at: number, outcome: 'deferred' | 'refused', reply: ServerReply): void {
    const recipient = this.#message.recipients[at] ?? '';
    const someAccepted = this.#undecided > this.#message.recipients.length - at;
    const decided = outcome === 'refused' && someAccepted && meansTooManyRecipients(reply) ? 'deferred' : outcome;
    this.#verdicts[at] = { recipient, outcome: decided, reply, reason: RECIPIENT_REASONS[decided], ambiguous: false };
    this.#undecided -= 1;
  }

  #decideAll(outcome: VerdictOutcome, reply: ServerReply | null, reason: string, ambiguous: boolean): void {
    const recipients = this.#message.recipients;
    for (let at = 0; at < recipients.length; at += 1) {
      this.#verdicts[at] ??= { recipient: recipients[at] ?? '', outcome, reply, reason, ambiguous };
    }
    this.#undecided = 0;
  }

  #reply(code: number, text: string, aboutRecipient: boolean): ServerReply {
    return toServerReply(code, text, this.#server, aboutRecipient);
  }
}

const SENDER_REASONS = {
  deferred: 'The server does not accept mail from this sender at the moment.',
  refused: 'The server rejected the sender.',
};

const RECIPIENT_REASONS = {
  deferred: 'The server does not accept mail for this recipient at the moment.',
  refused: 'The server rejected this recipient.',
};

const MESSAGE_REASONS = {
  accepted: 'The server accepted the message.',
  deferred: 'The server does not accept the message at the moment.',
  refused: 'The server rejected the message.',
};

function isPositive(code: number): boolean {
  return code >= 200 && code < 300;
}

/** What a reply code means for mail, or null if the code is not valid here (3xx). */
function outcomeOf(code: number): VerdictOutcome | null {
  if (isPositive(code)) return 'accepted';
  if (code >= 500) return 'refused';
  return code >= 400 ? 'deferred' : null;
}

/**
 * RFC 5321, section 4.5.3.1.10: an old 552 to RCPT means that the transaction has enough recipients and the others may
 * be sent later. An enhanced code that says otherwise (5.2.2, mailbox full) takes precedence.
 */
function meansTooManyRecipients(reply: ServerReply): boolean {
  return reply.code === 552 && (reply.enhanced === null || reply.enhanced === '5.5.3');
}
