import type { Classification } from '@postrider/core';

/** A message and its envelope for one destination: what a transport sends to a mail server in one SMTP transaction. */
export interface OutgoingMessage {
  /** Identifiers for logs and for transports that store the message; they are never sent. */
  readonly accountId: string;
  readonly messageId: string;
  readonly deliveryId: string;
  /** 1 for the first attempt of this delivery. */
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
   * message with several recipients), so that it cannot prove the address bad. Absent means unknown.
   */
  readonly aboutRecipient?: boolean;
}

export type VerdictOutcome = 'accepted' | 'deferred' | 'refused';

/** The outcome for one recipient. */
export interface RecipientVerdict {
  readonly recipient: string;
  readonly outcome: VerdictOutcome;
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
  /**
   * True when a deferred recipient was not tried at all, because its destination is paused: then the attempt does not count, and no event is
   * recorded.
   */
  readonly costsNoAttempt?: true;
  /** When a recipient who was not tried may be; in half a minute where not given. */
  readonly notBefore?: Date;
  /**
   * True where a recipient is put off for what their own domain says (its records, its policy): it tells nothing of the servers that the
   * domain names, which others share with it.
   */
  readonly isAboutDomain?: true;
  /** True when the reply came before MAIL: in place of a greeting, or to EHLO or STARTTLS. */
  readonly isBeforeMail?: true;
  /** True where an error of ours decided, which tells nothing of any server. */
  readonly isOurFault?: true;
  /** True where an accepted message was reported as spam there and then, as the complaining test address does. */
  readonly complaint?: boolean;
  /** A detail for the `delivered` event. */
  readonly deliveredDetail?: string;
}

/** The interface of every way to deliver a message. */
export interface Transport {
  readonly name: string;
  /** `sent` when later reports decide the outcome, `delivered` when acceptance is final. */
  readonly acceptedMeans: 'sent' | 'delivered';
  /** True when nothing leaves this process: its verdicts prove nothing about an address. */
  readonly isSimulated?: true;
  /** Never rejects: every recipient gets exactly one verdict, in the order of the recipients. */
  send(outgoing: OutgoingMessage): Promise<readonly RecipientVerdict[]>;
  /** The destination that a recipient's domain shares with others: the provider of its mail servers, else the domain. Never rejects. */
  groupOf?(domain: string): Promise<string>;
  /** Checks whether a message could be sent now, without sending one. Never rejects. */
  check(): Promise<{ ok: boolean; reason: string | null }>;
  /** Closes every connection at once; messages without a verdict, and later ones, are deferred. */
  abort(): void;
  /** Lets what is in flight finish, then closes every connection. */
  close(): Promise<void>;
}
