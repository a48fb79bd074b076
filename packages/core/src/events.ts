/** The types of message events, with the API's names. Each says when it is written. */
export const MESSAGE_EVENT_TYPES = {
  queued: 'The message was accepted and is waiting for delivery.',
  pending_approval: 'The message is held until an approver decides.',
  approved: 'An approver approved the held message.',
  rejected: 'An approver rejected the held message.',
  scheduled: 'The message is waiting for its scheduled time.',
  rescheduled: 'The scheduled time was changed.',
  sent: 'A mail server took responsibility for the message.',
  delivered: 'The recipient’s mail server accepted the message.',
  deferred: 'A delivery attempt failed temporarily. It will be retried.',
  bounced: 'Delivery failed permanently; `classification` says why.',
  complained: 'The recipient reported the message as spam.',
  opened: 'The tracking image was fetched.',
  clicked: 'A rewritten link was followed.',
  failed: 'The message could not be delivered because of an internal error.',
  suppressed: 'The recipient was on the suppression list at delivery.',
  canceled: 'The message was canceled before delivery.',
  expired: 'No one decided the hold in time.',
  unsubscribed: 'The recipient used the one-click unsubscribe.',
} as const;

export type MessageEventType = keyof typeof MESSAGE_EVENT_TYPES;

/** Why a bounce or complaint happened. Every other event carries null. */
export const CLASSIFICATIONS = {
  hard: 'The address does not exist.',
  soft: 'Temporarily undeliverable.',
  block: 'The receiver refused the message because of its policy or the content.',
  spam: 'The recipient reported the message as spam.',
  unknown: 'The provider did not report a reason.',
} as const;

export type Classification = keyof typeof CLASSIFICATIONS;

/** The statuses of a recipient. A message shows the first of WORST_LIVE_ORDER that any of its recipients has. */
export const MESSAGE_STATUSES = {
  queued: 'Accepted and waiting for delivery.',
  sending: 'A delivery attempt has been in progress for half a second or longer.',
  sent: 'The provider accepted it and has not reported an outcome yet.',
  delivered: 'The recipient’s mail server accepted it.',
  deferred: 'A delivery attempt failed temporarily. It will be retried.',
  bounced: 'Refused permanently, or all retries failed.',
  complained: 'The recipient reported it as spam.',
  failed: 'Could not be delivered; `lastError` says why.',
  suppressed: 'A recipient was on the suppression list at delivery.',
  pending_approval: 'Held until an approver decides.',
  rejected: 'An approver rejected the held message.',
  expired: 'No one decided the hold in time.',
  canceled: 'Canceled before delivery.',
} as const;

export type MessageStatus = keyof typeof MESSAGE_STATUSES;

/** What was not delivered as wanted, and will not be without someone’s help. Deferred messages are retried without it. */
export const PROBLEM_STATUSES: readonly MessageStatus[] = [
  'bounced',
  'complained',
  'failed',
  'suppressed',
  'rejected',
  'expired',
];
