import type { Classification } from '@postrider/core';
import type { ProcessPlace } from '../process-share.ts';
import type { NoteTry } from './exchange.ts';

/** A message and its envelope for one destination: what a transport sends to a mail server in one SMTP transaction. */
export interface OutgoingMessage {
  /** Identifiers for logs and for transports that store the message; they are never sent. */
  readonly accountId: string;
  readonly messageId: string;
  readonly deliveryId: string;
  /** 1 for the first attempt of this delivery. */
  readonly attempt: number;
  /** The return path. Empty for the null sender of RFC 5321, section 4.5.5. */
  readonly mailFrom: string;
  readonly recipients: readonly string[];
  /** The whole message with CRLF line endings, not yet dot-stuffed. */
  readonly data: Buffer;
  /** Called by transports that connect to servers, once for each server that was tried. */
  readonly note?: NoteTry;
}

/** The reply of a mail server. The text is from a third party: show it as data, and never interpret it as ours. */
export interface ServerReply {
  /** The three-digit reply code of RFC 5321, section 4.2. */
  readonly code: number;
  /** The enhanced status code of RFC 3463, such as `5.1.1`, or null if the server sent none. */
  readonly enhanced: string | null;
  /** The lines joined into one, at most 1,000 characters, without control characters. */
  readonly text: string;
  /** A reply of several lines as received, with the code on each line; absent for a reply of one line. */
  readonly lines?: readonly string[];
  /** The name the server gave itself, or else the name we connected to. */
  readonly server: string | null;
  /**
   * False when the reply is about more than this one recipient (the greeting, the login, the sender, a
   * message with several recipients), so that it cannot prove the address bad. Absent means unknown.
   */
  readonly aboutRecipient?: boolean;
}

export type VerdictOutcome = 'accepted' | 'deferred' | 'refused';

/** The outcome for one recipient. */
export interface RecipientVerdict {
  readonly recipient: string;
  readonly outcome: VerdictOutcome;
  /** The reply that decided the outcome, or null if no reply did (a network fault, one of our rules). */
  readonly reply: ServerReply | null;
  /** A plain description. For a network fault, what failed. */
  readonly reason: string;
  /** True when the connection was lost after the whole body had been sent: the message may have arrived. */
  readonly ambiguous: boolean;
  /** Set when the transport knows more than the reply text says: a domain that does not exist, a test address. */
  readonly classification?: Classification;
  /** True if a deferred recipient need not wait for the retry schedule. */
  readonly retryAtOnce?: boolean;
  /**
   * True when a deferred recipient was not tried at all, because its destination is paused: then the attempt does not count, and no event is
   * recorded.
   */
  readonly costsNoAttempt?: true;
  /** When to try a recipient that was not attempted. In 30 seconds by default. */
  readonly notBefore?: Date;
  /**
   * True if a recipient is deferred because of its own domain (its records, its policy). This says nothing about the
   * servers that the domain shares with others.
   */
  readonly isAboutDomain?: true;
  /** True when the reply was received before MAIL: in place of a greeting, or to EHLO or STARTTLS. */
  readonly isBeforeMail?: true;
  /** True if an error on our side decided, which says nothing about any server. */
  readonly isOurFault?: true;
  /** True if an accepted message was reported as spam immediately, as the test address for complaints does. */
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
  /** The destination that a recipient's domain shares with others: the provider of its mail servers, or else the domain. Never rejects. */
  groupOf?(domain: string): Promise<string>;
  /** The process that sends, if several processes share the limits of each destination. */
  readonly place?: ProcessPlace;
  /** Checks whether a message could be sent now, without sending one. Never rejects. */
  check(): Promise<{ ok: boolean; reason: string | null }>;
  /** Closes every connection at once; messages without a verdict, and later ones, are deferred. */
  abort(): void;
  /** Lets running sends finish, then closes every connection. */
  close(): Promise<void>;
}
