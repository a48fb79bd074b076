import { parseMailbox } from '@postrider/core';
import type { CapturedRow } from '../db/queries/captured-messages.ts';

/** A captured message in a list. */
export interface MailboxEntry {
  readonly id: string;
  /** The sender's address. The envelope's return path would mean nothing to a reader. */
  readonly from: string;
  /** The envelope's recipients. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly receivedAt: Date;
}

export function toMailboxEntry({ id, mailFrom, fromGiven, to, subject, receivedAt }: CapturedRow): MailboxEntry {
  const verdict = parseMailbox(fromGiven ?? mailFrom);
  return { id, from: verdict.ok ? verdict.mailbox.address : mailFrom, to, subject, receivedAt };
}
