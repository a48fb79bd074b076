import type { Classification, MessageEventType } from '@postrider/core';
import type { RecipientChange } from './message-status.ts';

/** What an attempt did to one recipient, with the events it leaves on the trail. */
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

/** Everything one attempt at one delivery led to: what the journal keeps and the database records. */
export interface AttemptOutcome {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly messageId: string;
  readonly leaseId: string;
  readonly attempt: number;
  /** When the attempt ended, ISO 8601. */
  readonly at: string;
  readonly recipients: readonly RecipientOutcome[];
  /** When the deferred recipients are tried again, ISO 8601; null where none is left. */
  readonly retryAt: string | null;
  /** Recipients of the whole message, so that one who knows all of them need not ask. */
  readonly recipientsInMessage: number;
  readonly lastError: string | null;
  /** True where nobody was tried, so that the attempt does not count. */
  readonly costsNoAttempt?: true;
  /** True where nothing left the installation, so that a bounce or a complaint says nothing about the address. */
  readonly isSimulated?: true;
}
