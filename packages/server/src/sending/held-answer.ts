import type { StoredHold } from './idempotency.ts';
import type { HeldAnswer, SendVerdict } from './send-command.ts';

/** How a send was held, as it was told the first time. */
export function toHeldAnswer(hold: StoredHold | null): HeldAnswer | null {
  return hold === null ? null : { ...hold, expiresAt: new Date(hold.expiresAt) };
}

/** The status an accepted send is answered with, the first time and every other. */
export function acceptedStatus(hold: HeldAnswer | null): Extract<SendVerdict, { kind: 'accepted' }>['status'] {
  return hold === null ? 'queued' : 'pending_approval';
}
