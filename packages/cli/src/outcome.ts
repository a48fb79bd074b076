import type { MessageStatus } from '@postrider/sdk';

/** What a status means to somebody who waits: `open` may still change, the others end the wait. */
export type Outcome = 'open' | 'succeeded' | 'failed' | 'held';

/** `sent` ends a wait too: some providers take a message and never say more. */
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

/** A status this version does not know is taken as open: the wait then ends with its time, and never with a false success. */
export function outcomeOf(status: string): Outcome {
  return Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status as MessageStatus] : 'open'; // hasOwn has just said so.
}
