import type { MessageStatus } from '@postrider/core';

/**
 * What a recipient's state can become by an attempt or a report; `queued` by one that was not made. The only place that names a next status.
 */
export type RecipientChange =
  | 'queued'
  | 'sent'
  | 'delivered'
  | 'deferred'
  | 'bounced'
  | 'complained'
  | 'failed'
  | 'suppressed';

/** A message shows the first of these that any of its recipients has. */
const SHOWN_FIRST: readonly MessageStatus[] = [
  'sending',
  'queued',
  'deferred',
  'complained',
  'bounced',
  'failed',
  'suppressed',
  'sent',
  'delivered',
];

const FINAL: ReadonlySet<MessageStatus> = new Set([
  'delivered',
  'bounced',
  'complained',
  'failed',
  'suppressed',
  'rejected',
  'expired',
  'canceled',
]);

/** Final statuses stay, save that a bounce or a complaint may follow `delivered`: late news never makes a bad end good. */
export function nextRecipientStatus(current: MessageStatus, change: RecipientChange): MessageStatus {
  if (current === 'delivered') return change === 'bounced' || change === 'complained' ? change : current;
  if (current === 'sent') return change === 'deferred' || change === 'queued' ? current : change;
  if (current === 'bounced') return change === 'complained' ? change : current;
  return FINAL.has(current) ? current : change;
}

/** The status of a message by its recipients: what is still open shows before what ended badly, and that before what went well. */
export function messageStatusOf(recipients: readonly MessageStatus[]): MessageStatus {
  return SHOWN_FIRST.find((status) => recipients.includes(status)) ?? 'failed';
}

/** Whether a wait on the message is over: it is final, or the provider has taken it. */
export function isSettled(status: MessageStatus): boolean {
  return status === 'sent' || FINAL.has(status);
}
