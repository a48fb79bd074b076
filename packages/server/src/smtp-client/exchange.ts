/** A reply as it was received. */
export interface RawReply {
  readonly code: number;
  /** The raw text from the reply parser: lines joined by `\n`, one character per byte. */
  readonly text: string;
}

/** One line of a conversation with a mail server: `C ` and what we sent, or `S ` and what the server replied. */
export type ConversationLine = `C ${string}` | `S ${string}`;

/** The encryption of a connection. */
export interface TracedTls {
  /** For example `TLSv1.3`. */
  readonly protocol: string;
  readonly cipher: string;
  /** Whether the certificate is valid for the server's name. Opportunistic TLS accepts any. */
  readonly isVerified: boolean;
}

/** A connection up to now: its other side, and the lines of its handshake. */
export interface TracedConnection {
  /** Null if there was no connection. */
  readonly address: string | null;
  readonly tls: TracedTls | null;
  readonly lines: readonly ConversationLine[];
}

/** A server that a message is sent to. */
export interface TriedServer {
  readonly host: string;
  /** Null while it is not known. */
  readonly address: string | null;
  readonly port: number;
}

/**
 * `failed` means that no reply decided: the server could not be found or reached, or the connection was lost. `mixed` means that recipients
 * differ.
 */
export type TryOutcome = 'accepted' | 'mixed' | 'deferred' | 'refused' | 'failed';

/** What happened at one server, or before one could be chosen. */
export interface ServerTry {
  readonly recipients: readonly string[];
  /** Null if no server was chosen. */
  readonly server: TriedServer | null;
  readonly tls: TracedTls | null;
  readonly isReused: boolean;
  readonly outcome: TryOutcome;
  /** The reply that decided, or else the reason; without control characters. */
  readonly reply: string;
  /** Null if nothing was exchanged. */
  readonly lines: readonly ConversationLine[] | null;
  /** By the monotonic clock (`performance.now()`). */
  readonly startedMs: number;
  readonly endedMs: number;
}

export type NoteTry = (tried: ServerTry) => void;
