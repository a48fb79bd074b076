/** What can stand on a message's trail. The API's names; each says when it is written. */
export const MESSAGE_EVENT_TYPES = {
  queued: 'The message was accepted and waits for delivery.',
  pending_approval: 'The message is held until a person decides.',
  approved: 'A person approved the held message.',
  rejected: 'A person rejected the held message.',
  scheduled: 'The message waits for its scheduled time.',
  rescheduled: 'The scheduled time was changed.',
  sent: 'A mail server took responsibility for the message.',
  delivered: 'The recipient’s mail server accepted the message.',
  deferred: 'A hand-off failed for now; it will be tried again.',
  bounced: 'Delivery failed for good; `classification` says why.',
  complained: 'The recipient reported the message as spam.',
  opened: 'The tracking image was fetched.',
  clicked: 'A rewritten link was followed.',
  failed: 'The message could not be handed over at all, for a reason of our own.',
  suppressed: 'The recipient was on the suppression list at delivery.',
  canceled: 'The message was canceled before delivery.',
  expired: 'Nobody decided the hold in time.',
  unsubscribed: 'The recipient used the one-click unsubscribe.',
} as const;

export type MessageEventType = keyof typeof MESSAGE_EVENT_TYPES;

/** Why a bounce or complaint happened. Every other event carries null. */
export const CLASSIFICATIONS = {
  hard: 'The address does not exist.',
  soft: 'Temporarily undeliverable.',
  block: 'The receiver refused on policy or content.',
  spam: 'The recipient reported the mail as spam.',
  unknown: 'The provider could not say.',
} as const;

export type Classification = keyof typeof CLASSIFICATIONS;

/** Where a message stands. A message shows the first of WORST_LIVE_ORDER that any of its recipients has. */
export const MESSAGE_STATUSES = {
  queued: 'Accepted, waiting for delivery.',
  sending: 'Being handed over right now.',
  sent: 'The provider took it and has not said more.',
  delivered: 'The recipient’s mail server accepted it.',
  deferred: 'A hand-off failed for now; it will be tried again.',
  bounced: 'Refused for good, or the retries ran out.',
  complained: 'The recipient reported it as spam.',
  failed: 'Could not be handed over; `lastError` says why.',
  suppressed: 'Caught by the suppression list at delivery.',
  pending_approval: 'Held until a person decides.',
  rejected: 'A person rejected the held message.',
  expired: 'Nobody decided the hold in time.',
  canceled: 'Canceled before delivery.',
} as const;

export type MessageStatus = keyof typeof MESSAGE_STATUSES;
