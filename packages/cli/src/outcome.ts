import type { MessageStatus } from '@postrider/sdk';

/** What a status means for a wait: `open` may still change, the others end the wait. */
export type Outcome = 'open' | 'succeeded' | 'failed' | 'held';

/** `sent` ends a wait too: some providers accept a message and report nothing after that. */
const OUTCOMES: Readonly<Record<MessageStatus, Outcome>> = {
  queued: 'open',
  sending: 'open',
  deferred: 'open',
  sent: 'succeeded',
  delivered: 'succeeded',
  bounced: 'failed',
  complained: 'failed',
  failed: 'failed',
  suppressed: 'failed',
  rejected: 'failed',
  expired: 'failed',
  canceled: 'failed',
  pending_approval: 'held',
};

/** An unknown status counts as open: the wait then times out and never reports a false success. */
export function outcomeOf(status: string): Outcome {
  return Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status as MessageStatus] : 'open'; // Checked by hasOwn.
}
