import type { Classification, MessageEventType } from '@postrider/core';
import type { RecipientChange } from './message-status.ts';

/** What an attempt did to one recipient, with the events that it adds to the event log. */
export interface RecipientOutcome {
  readonly ordinal: number;
  readonly email: string;
  readonly change: RecipientChange;
  readonly events: readonly {
    readonly type: MessageEventType;
    readonly classification: Classification | null;
    readonly detail: string | null;
  }[];
}

/** The result of one attempt at one delivery: what the journal stores and the database records. */
export interface AttemptOutcome {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly messageId: string;
  readonly leaseId: string;
  readonly attempt: number;
  /** When the attempt ended, ISO 8601. */
  readonly at: string;
  readonly recipients: readonly RecipientOutcome[];
  /** When the deferred recipients are retried, ISO 8601; null if none are left. */
  readonly retryAt: string | null;
  /** The number of recipients of the whole message. An outcome with all of them needs no further query. */
  readonly recipientsInMessage: number;
  readonly lastError: string | null;
  /** True if no recipient was attempted, so that the attempt does not count. */
  readonly costsNoAttempt?: true;
  /** True if nothing left the installation, so that a bounce or a complaint says nothing about the address. */
  readonly isSimulated?: true;
  /** The name of the transport. */
  readonly transport?: string;
  /** The servers that were tried, as `formatTry` writes them. */
  readonly tries?: readonly string[];
}
