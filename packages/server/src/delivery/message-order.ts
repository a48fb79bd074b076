import type { DeliveryContent } from '../db/queries/load-contents.ts';
import type { MailBody } from '../keys/sealed-body.ts';
import type { MessageUrls } from '../links/tracked-body.ts';
import type { Attachment, Mailbox } from '../mime/compose-mime.ts';

/** A stored message with everything needed to build its bytes. Plain data, so that a worker thread can receive it. */
export interface MessageOrder {
  readonly content: DeliveryContent;
  readonly from: Mailbox;
  readonly replyTo: readonly Mailbox[];
  /** The recipients of the delivery. */
  readonly ordinals: readonly number[];
  readonly attachments: readonly Attachment[];
  /** The bodies of the installation's own mail, which are stored encrypted. Null for all other mail. */
  readonly opened: MailBody | null;
  /** Null if nothing is tracked. */
  readonly trackingUrls: MessageUrls | null;
  /** The link of the only recipient; null if there are several. */
  readonly unsubscribeUrl: string | null;
  /** What an approver approved; null if the message was never held. */
  readonly approved: ApprovedContent | null;
}

/** The part of a verified receipt that a delivery must match. */
export interface ApprovedContent {
  readonly contentHash: string;
  readonly scheduledAt: Date | null;
}

/** It can never be sent. */
export interface NeverSent {
  readonly ok: false;
  readonly reason: string;
  /** Whether it is not what was approved. */
  readonly isUnapproved?: true;
}

/** @param what differs from what was approved */
export function unapproved(what: string): NeverSent {
  const reason = `It is not what was approved, so nothing was sent: ${what} differs.`;
  return { ok: false, reason, isUnapproved: true };
}
