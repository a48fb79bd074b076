import type { Classification } from '@postrider/core';

/** One message on its way to one destination: what a transport hands to a mail server in one transaction. */
export interface Handover {
  /** The names of what is handed over, for logs and for transports that keep it; they never go on the wire. */
  readonly accountId: string;
  readonly messageId: string;
  readonly deliveryId: string;
  /** 1 for the first hand-off of this delivery. */
  readonly attempt: number;
  /** The return path; empty for the null sender of RFC 5321, section 4.5.5. */
  readonly mailFrom: string;
  readonly recipients: readonly string[];
  /** The whole message, lines ended by CRLF, not yet dot-stuffed. */
  readonly data: Buffer;
}

/** What a mail server said. The text is a third party's: it is data to show, never to interpret as ours. */
export interface ServerReply {
  /** The three-digit reply code of RFC 5321, section 4.2. */
  readonly code: number;
  /** The enhanced status code of RFC 3463, such as `5.1.1`, or null where the server gave none. */
  readonly enhanced: string | null;
  /** The lines folded into one, at most 1,000 characters, control characters removed. */
  readonly text: string;
  /** The name the server gave itself, or else the one we connected to. */
  readonly server: string | null;
  /**
   * False when the reply answered something wider than this one recipient (the greeting, the log-in, the sender, a
   * message with several recipients), so that it cannot prove the address bad. Absent means that nobody knows.
   */
  readonly aboutRecipient?: boolean;
}

export type HandoverOutcome = 'accepted' | 'deferred' | 'refused';

/** What became of one recipient. */
export interface HandoverVerdict {
  readonly recipient: string;
  readonly outcome: HandoverOutcome;
  /** The reply that decided, or null where no reply did (a network fault, a rule of ours). */
  readonly reply: ServerReply | null;
  /** Plain words; for a network fault, what failed. */
  readonly reason: string;
  /** True when the connection was lost after the whole body had been sent: the message may have arrived. */
  readonly ambiguous: boolean;
  /** Where the transport knows better than the words of the reply: a domain that does not exist, a test address. */
  readonly classification?: Classification;
  /** True where a deferred recipient need not wait for the retry schedule. */
  readonly retryAtOnce?: boolean;
  /** True where an accepted message was reported as spam there and then, as the complaining test address does. */
  readonly complaint?: boolean;
}

/** The port behind which every way of handing a message over stands. */
export interface Transport {
  readonly name: string;
  /** `sent` where later reports tell the rest, `delivered` where acceptance is the end of the road. */
  readonly acceptedMeans: 'sent' | 'delivered';
  /** True where nothing leaves: what it says of an address proves nothing about it. */
  readonly isSimulated?: true;
  /** Never rejects: every recipient gets exactly one verdict, in the order of the recipients. */
  send(handover: Handover): Promise<readonly HandoverVerdict[]>;
  /** Tells whether a message could be handed over now, without handing one over. Never rejects. */
  check(): Promise<{ ok: boolean; reason: string | null }>;
  /** Ends every connection at once: what has no answer yet, and whatever is handed over later, is deferred. */
  abort(): void;
  /** Lets what is in flight finish, then closes every connection. */
  close(): Promise<void>;
}
