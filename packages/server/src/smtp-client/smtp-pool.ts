import type { TriedServer } from './exchange.ts';
import { carryNoted, type PoolResult } from './server-try.ts';
import type { SmtpConnection } from './smtp-connection.ts';
import { SmtpFault } from './smtp-fault.ts';
import { prepareSmtpMessage, type SmtpMessage } from './smtp-message.ts';
import type { OutgoingMessage, RecipientVerdict } from './transport.ts';

export interface SmtpPoolOptions {
  /**
   * Opens one connection; rejects with SmtpFault when it cannot. An opener that has to wait first can check afterwards whether the connection
   * is still wanted, and return null when it is not.
   */
  readonly open: (isWanted: () => boolean) => Promise<SmtpConnection | null>;
  readonly maxConnections: number;
  /** The server, for notes about messages that `send` is given. */
  readonly server?: TriedServer;
}

interface PendingSend {
  readonly message: SmtpMessage;
  readonly settle: (result: PoolResult) => void;
}

// If a connection could not be opened while others work, as with a server that limits connections, only the others are
// used for this long.
const OPEN_PAUSE_MS = 1_000;

const CLOSING = new SmtpFault('lost', 'The connections to the server are closing.');

/**
 * Up to `maxConnections` connections to one server, opened on demand; sends are queued for the next free one.
 *
 * A send fails without a connection only when none is open or being opened: everything that waits then gets the same
 * `deferred` verdict at once, rather than each its own connection timeout after the other.
 */
export class SmtpPool {
  readonly #open: SmtpPoolOptions['open'];
  readonly #server: TriedServer | null;
  readonly #waiting: PendingSend[] = [];
  readonly #idle: SmtpConnection[] = [];
  /** Connections that are busy or idle. */
  readonly #live = new Set<SmtpConnection>();
  /** Those, and the ones that are closing. */
  readonly #unclosed = new Set<SmtpConnection>();
  #maxConnections: number;
  #opening = 0;
  #openAgainAtMs = 0;
  #resolveClosed: (() => void) | null = null;
  #closed: Promise<void> | null = null;
  #isAborted = false;

  constructor({ open, maxConnections, server }: SmtpPoolOptions) {
    this.#open = open;
    this.#server = server ?? null;
    this.#maxConnections = maxConnections;
  }

  /**
   * Sends one message. Resolves with a verdict for each recipient, also when no connection could be opened.
   * Rejects, before anything is written, with UnsafeEnvelopeError or BareLineEndingError only.
   */
  async send(outgoing: OutgoingMessage): Promise<readonly RecipientVerdict[]> {
    const message = prepareSmtpMessage(outgoing);
    if (message.recipients.length === 0) return [];
    const carry = (sent: SmtpMessage) => this.carry(sent);
    const server = this.#server;
    const result = server === null ? await carry(message) : await carryNoted(carry, message, server, outgoing.note);
    return result.kind === 'sent' ? result.verdicts : deferAll(message, result.fault);
  }

  /** Sends a prepared message with at least one recipient; the result says whether there was a connection. Never rejects. */
  carry(message: SmtpMessage): Promise<PoolResult> {
    if (this.#closed !== null) return Promise.resolve({ kind: 'unopened', fault: CLOSING });
    return new Promise((settle) => {
      this.#waiting.push({ message, settle });
      this.#dispatch();
    });
  }

  /** True if an open connection can send a message at once. */
  get hasIdle(): boolean {
    return this.#idle.some(({ isReady }) => isReady);
  }

  /** True if no connection is open or opening and no send is waiting. */
  get isUnused(): boolean {
    return this.#unclosed.size + this.#opening + this.#waiting.length === 0;
  }

  /** Closes one idle connection. Returns false if there is none. */
  closeIdle(): boolean {
    const connection = this.#idle.shift();
    void connection?.quit();
    return connection !== undefined;
  }

  /** Changes the connection limit. Connections above it are closed as they become free. */
  resize(maxConnections: number): void {
    this.#maxConnections = maxConnections;
    while (this.#live.size + this.#opening > maxConnections) {
      const connection = this.#idle.pop();
      if (connection === undefined) break;
      void connection.quit();
    }
    this.#dispatch();
  }

  /** Defers all waiting sends, lets running ones finish, and resolves when every connection is closed. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#failWaiting(CLOSING);
    for (const connection of this.#idle.splice(0)) void connection.quit();
    this.#checkClosed();
    return this.#closed;
  }

  /** Closes every connection at once, also those still opening. Recipients without a verdict are deferred. */
  abort(): void {
    this.#isAborted = true;
    void this.close();
    for (const connection of this.#unclosed) connection.abort();
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop();
      if (connection === undefined) break;
      if (connection.isReady) this.#carry(this.#waiting.shift(), connection);
    }
    while (this.#mayOpen()) void this.#openOne(null);
  }

  #mayOpen(): boolean {
    const connections = this.#live.size + this.#opening;
    if (this.#opening >= this.#waiting.length || connections >= this.#maxConnections) return false;
    return connections === 0 || performance.now() >= this.#openAgainAtMs;
  }

  /** @param pending the send that the connection is reserved for, or null when it is for the first in the queue. */
  async #openOne(pending: PendingSend | null): Promise<void> {
    this.#opening += 1;
    try {
      const connection = await this.#open(() => pending !== null || this.#waiting.length > 0);
      if (this.#isAborted) connection?.abort();
      if (connection === null) {
        this.#opening -= 1;
        this.#dispatch();
        this.#checkClosed();
        return;
      }
      if (!connection.isReady)
        throw new SmtpFault('lost', 'The server closed the connection as soon as it was opened.');
      this.#opening -= 1;
      this.#adopt(connection, pending);
    } catch (error) {
      this.#opening -= 1;
      this.#onOpenFailed(toFault(error), pending);
    }
    this.#checkClosed();
  }

  #adopt(connection: SmtpConnection, pending: PendingSend | null): void {
    this.#live.add(connection);
    this.#unclosed.add(connection);
    connection.onGone = () => this.#drop(connection);
    void connection.closed.then(() => {
      this.#unclosed.delete(connection);
      this.#checkClosed();
    });
    if (pending === null) this.#release(connection);
    else this.#carry(pending, connection);
  }

  #onOpenFailed(fault: SmtpFault, pending: PendingSend | null): void {
    this.#openAgainAtMs = performance.now() + OPEN_PAUSE_MS;
    pending?.settle({ kind: 'unopened', fault });
    if (this.#live.size + this.#opening === 0) this.#failWaiting(fault);
  }

  #carry(pending: PendingSend | undefined, connection: SmtpConnection): void {
    if (pending === undefined) return;
    void connection.send(pending.message).then((result) => {
      if (result !== 'stale') pending.settle({ kind: 'sent', verdicts: result });
      else if (this.#isAborted) pending.settle({ kind: 'unopened', fault: CLOSING });
      else void this.#openOne(pending);
      this.#release(connection);
    });
  }

  #release(connection: SmtpConnection): void {
    if (connection.isReady && this.#closed === null && this.#live.size <= this.#maxConnections) {
      this.#idle.push(connection);
    } else {
      void connection.quit();
    }
    this.#dispatch();
  }

  #drop(connection: SmtpConnection): void {
    this.#live.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
  }

  #failWaiting(fault: SmtpFault): void {
    for (const { settle } of this.#waiting.splice(0)) settle({ kind: 'unopened', fault });
  }

  #checkClosed(): void {
    if (this.#closed !== null && this.#unclosed.size + this.#opening === 0) this.#resolveClosed?.();
  }
}

function toFault(error: unknown): SmtpFault {
  if (error instanceof SmtpFault) return error;
  return new SmtpFault('unready', `The connection could not be opened: ${error instanceof Error ? error.message : ''}`);
}

function deferAll({ recipients }: SmtpMessage, fault: SmtpFault): readonly RecipientVerdict[] {
  const { reply, message: reason } = fault;
  return recipients.map((recipient) => ({ recipient, outcome: 'deferred', reply, reason, ambiguous: false }));
}
