import type { MessageStatus } from '@postrider/core';

/**
 * The states that an attempt or a report can give a recipient; `queued` is set for a recipient without an attempt. Only
 * this table defines the next status.
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

/** Final statuses stay, except that a bounce or a complaint may follow `delivered`: a later event never turns a failure into a success. */
export function nextRecipientStatus(current: MessageStatus, change: RecipientChange): MessageStatus {
  if (current === 'delivered') return change === 'bounced' || change === 'complained' ? change : current;
  if (current === 'sent') return change === 'deferred' || change === 'queued' ? current : change;
  if (current === 'bounced') return change === 'complained' ? change : current;
  return FINAL.has(current) ? current : change;
}

/** The status of a message from its recipients: open ones take precedence over failures, and failures over successes. */
export function messageStatusOf(recipients: readonly MessageStatus[]): MessageStatus {
  return SHOWN_FIRST.find((status) => recipients.includes(status)) ?? 'failed';
}

/** Whether a wait for the message is over: it is final, or the provider has accepted it. */
export function isSettled(status: MessageStatus): boolean {
  return status === 'sent' || FINAL.has(status);
}
