import net from 'node:net';
import tls from 'node:tls';
import { toClientLine, toServerLines, withoutSecrets } from './conversation-lines.ts';
import { Deadline } from './deadline.ts';
import type { ConversationLine, RawReply, TracedConnection, TracedTls } from './exchange.ts';
import { describeErrorCode, describeSocketError, SmtpFault, type SmtpFaultKind } from './smtp-fault.ts';
import { MalformedReplyError, SmtpReplyParser } from './smtp-reply-parser.ts';
import { toServerReply } from './smtp-reply-text.ts';

/** Where to connect to. */
export interface SmtpAddress {
  /** A name or an IP address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** The name for TLS SNI and the certificate check, if it differs from `host`. */
  readonly serverName?: string;
  /** The local address to connect from. The system chooses one by default. */
  readonly localAddress?: string;
  /** Returns why the address we connected to is not allowed, as the end of a sentence, or null if it is allowed. */
  readonly refusePeer?: (address: string) => string | null;
  /** PEM certificates to trust in addition to the public ones. */
  readonly trustedCertificates?: readonly string[];
}

interface Waiter {
  readonly resolve: (reply: RawReply) => void;
  readonly reject: (fault: SmtpFault) => void;
  /** The fault kind to report if the connection is lost at this point. */
  readonly lossKind: SmtpFaultKind;
}

// Replies are a few hundred bytes long; a longer one arrives in several reads.
const READ_BUFFER_BYTES = 4_096;

// By default Node tries each address of a host for only 250 ms, which is too short for a slow link.
const ADDRESS_ATTEMPT_MS = 5_000;

/**
 * A socket that exchanges bytes for complete SMTP replies. It has one deadline and reports one fault when it ends.
 *
 * A reply resolves the pending `ask`, or else is passed to `onReply`. An unexpected reply is a fault. `onFault` is called
 * once, as the last callback.
 */
export class SmtpChannel {
  onReply: ((code: number, text: string) => void) | null = null;
  onFault: ((fault: SmtpFault) => void) | null = null;
  /** Called at the deadline instead of raising a fault. */
  onDeadline: (() => void) | null = null;
  /** Describes the reply we are waiting for, for the message of a fault. */
  describeAwaited: () => string = () => 'the connection';

  /** True from STARTTLS until the handshake ends: any failure in between is a TLS fault. */
  beginsTls = false;

  readonly #address: SmtpAddress;
  readonly #deadline = new Deadline(() => this.#passDeadline());
  #socket: net.Socket | null = null;
  #parser = this.#newParser();
  #waiter: Waiter | null = null;
  #fault: SmtpFault | null = null;
  #timeoutMs = 0;
  #peer: string | null = null;
  #tls: TracedTls | null = null;
  /** What was exchanged, until the connection is ready for messages, which have their own record. */
  #lines: ConversationLine[] | null;
  #secrets: readonly string[] = [];

  /** @param lines the conversation of an earlier connection that this one replaces. */
  constructor(address: SmtpAddress, lines: readonly ConversationLine[] = []) {
    this.#address = address;
    this.#lines = [...lines];
  }

  /** Ends the record of the handshake, and returns it. */
  endHandshake(): TracedConnection {
    const connection = { address: this.#peer, tls: this.#tls, lines: this.#lines ?? [] };
    this.#lines = null;
    return connection;
  }

  /** Why the connection is closed, or null while it is open. */
  get fault(): SmtpFault | null {
    return this.#fault;
  }

  /** Opens the connection, without TLS. Rejects with SmtpFault. */
  async connect(timeoutMs: number): Promise<void> {
    const { host, port, localAddress, refusePeer } = this.#address;
    // Our own read buffer avoids the stream machinery and an allocation per read.
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BUFFER_BYTES),
      callback: (length: number, buffer: Uint8Array) => this.#takeBytes(socket, buffer, length),
    };
    const socket: net.Socket = net.connect({
      host,
      port,
      onread,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    socket.setNoDelay(true);
    await this.#attach(socket, 'connect', timeoutMs);
    this.#peer = socket.remoteAddress ?? null;
    const refusal = refusePeer?.(socket.remoteAddress ?? '') ?? null;
    if (refusal !== null) throw this.fail('unready', `is not an allowed destination: its address ${refusal}`);
  }

  /**
   * Starts TLS on the open connection and discards everything received before. Rejects with SmtpFault of kind `tls`,
   * also when the server sent more than the expected reply, because anyone on the path could have injected it.
   *
   * @returns null if the certificate is valid for this server, or else why it is not (only without `verify`).
   */
  async startTls(verify: boolean, timeoutMs: number): Promise<string | null> {
    if (!this.#parser.isEmpty) throw this.fail('tls', 'sent plaintext after STARTTLS');
    const { trustedCertificates } = this.#address;
    const name = this.#name();
    const secure = tls.connect({
      ...(this.#socket === null ? {} : { socket: this.#socket }),
      host: name,
      ...(net.isIP(name) === 0 ? { servername: name } : {}),
      rejectUnauthorized: verify,
      ...(trustedCertificates === undefined ? {} : { ca: [...tls.rootCertificates, ...trustedCertificates] }),
    });
    this.#parser = this.#newParser();
    await this.#attach(secure, 'secureConnect', timeoutMs);
    secure.on('data', (chunk: Buffer) => this.#takeBytes(secure, chunk, chunk.length));
    const { name: cipher, standardName } = secure.getCipher();
    this.#tls = {
      protocol: secure.getProtocol() ?? 'unknown',
      cipher: standardName ?? cipher,
      isVerified: secure.authorized,
    };
    // At run time this is an error code, although the type says Error.
    return secure.authorized ? null : describeErrorCode(String(secure.authorizationError));
  }

  /**
   * Sends one command, without its line ending, and waits for the reply. With null it only waits. Rejects with SmtpFault.
   *
   * @param secrets what the record of the handshake must not contain.
   */
  ask(command: string | null, timeoutMs: number, awaited: string, secrets: readonly string[] = []): Promise<RawReply> {
    if (command !== null) this.#lines?.push(toClientLine(withoutSecrets(command, secrets)));
    this.#secrets = secrets;
    // V8 creates a function that is assigned to a property directly in the old generation.
    const describe = () => awaited;
    return new Promise((resolve, reject) => {
      this.describeAwaited = describe;
      this.#wait({ resolve, reject, lossKind: 'lost' }, timeoutMs);
      if (command !== null) this.write(`${command}\r\n`, 'latin1', timeoutMs);
    });
  }

  /** Writes text and resets the deadline. */
  write(text: string, encoding: 'latin1' | 'utf8', timeoutMs: number): void {
    this.extend(timeoutMs);
    this.#socket?.write(text, encoding);
  }

  /** Writes bytes and resets the deadline. `onWritten` is called when the operating system has accepted them. */
  writeBytes(bytes: Buffer, timeoutMs: number, onWritten?: () => void): void {
    this.extend(timeoutMs);
    if (onWritten === undefined) this.#socket?.write(bytes);
    else this.#socket?.write(bytes, (error) => (error ? undefined : onWritten()));
  }

  /** Resets the deadline to `timeoutMs` from now. */
  extend(timeoutMs: number): void {
    if (this.#fault !== null) return;
    this.#timeoutMs = timeoutMs;
    this.#deadline.set(timeoutMs);
  }

  /**
   * Closes the connection at once and returns the fault. Later calls return the first fault.
   *
   * @param what what the server did, as the rest of a sentence that begins with its address.
   */
  fail(kind: SmtpFaultKind, what: string, reply: RawReply | null = null): SmtpFault {
    if (this.#fault !== null) return this.#fault;
    const said = reply === null ? null : toServerReply(reply.code, reply.text, this.#name(), false);
    const fault = new SmtpFault(this.beginsTls ? 'tls' : kind, `${this.#where()} ${what}.`, said);
    if (this.#lines !== null) fault.connection = this.endHandshake();
    this.#fault = fault;
    this.#parser.stop();
    this.#deadline.stop();
    this.#socket?.destroy();
    this.#waiter?.reject(fault);
    this.#waiter = null;
    this.onFault?.(fault);
    return fault;
  }

  #name(): string {
    return this.#address.serverName ?? this.#address.host;
  }

  /** For example `mx.example.com [192.0.2.1]:25`, or without the name if there is none. */
  #where(): string {
    const { host, port, serverName } = this.#address;
    if (serverName !== undefined && serverName !== host) return `${serverName} [${host}]:${port}`;
    return `${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  #attach(socket: net.Socket, readyEvent: 'connect' | 'secureConnect', timeoutMs: number): Promise<RawReply> {
    this.#socket = socket;
    const lossKind = readyEvent === 'secureConnect' ? 'tls' : 'lost';
    return new Promise((resolve, reject) => {
      this.describeAwaited = () => (readyEvent === 'secureConnect' ? 'TLS' : 'the connection');
      this.#wait({ resolve, reject, lossKind }, timeoutMs);
      socket.once(readyEvent, () => {
        this.#waiter = null;
        resolve({ code: 0, text: '' });
      });
      socket.on('error', (error) => this.#lose(socket, `cannot be used: ${describeSocketError(error)}`));
      socket.on('end', () => this.#lose(socket, 'closed the connection'));
      socket.on('close', () => this.#lose(socket, 'closed the connection'));
    });
  }

  /** TLS takes over the plain socket, so its later events appear on the TLS socket. */
  #lose(socket: net.Socket, what: string): void {
    if (socket !== this.#socket) return;
    this.fail(this.#waiter?.lossKind ?? 'lost', `${what} while we waited for ${this.describeAwaited()}`);
  }

  #wait(waiter: Waiter, timeoutMs: number): void {
    if (this.#fault !== null) {
      waiter.reject(this.#fault);
      return;
    }
    this.#waiter = waiter;
    this.extend(timeoutMs);
  }

  #newParser(): SmtpReplyParser {
    return new SmtpReplyParser((code, text) => this.#deliver(code, text));
  }

  #takeBytes(socket: net.Socket, bytes: Uint8Array, length: number): boolean {
    if (socket !== this.#socket) return true;
    try {
      this.#parser.push(Buffer.from(bytes.buffer, bytes.byteOffset, length), length);
    } catch (error) {
      if (!(error instanceof MalformedReplyError)) throw error;
      this.fail('protocol', `sent ${error.message} while we waited for ${this.describeAwaited()}`);
    }
    return true;
  }

  #deliver(code: number, text: string): void {
    const waiter = this.#waiter;
    if (waiter !== null) {
      this.#waiter = null;
      this.#lines?.push(...toServerLines({ code, text }, this.#secrets));
      waiter.resolve({ code, text });
    } else if (this.onReply !== null) {
      this.onReply(code, text);
    } else {
      this.fail(code === 421 ? 'lost' : 'protocol', 'sent a reply that we did not ask for', { code, text });
    }
  }

  #passDeadline(): void {
    if (this.onDeadline !== null) {
      this.onDeadline();
      return;
    }
    const seconds = Math.round(this.#timeoutMs / 100) / 10;
    const kind = this.#waiter?.lossKind === 'tls' ? 'tls' : 'timeout';
    this.fail(kind, `sent nothing for ${seconds} s while we waited for ${this.describeAwaited()}`);
  }
}
