import type { StoredHold } from './idempotency.ts';
import type { HeldSend, SendVerdict } from './send-command.ts';

/** The hold of a send, as in its first response. */
export function toHeldSend(hold: StoredHold | null): HeldSend | null {
  return hold === null ? null : { ...hold, expiresAt: new Date(hold.expiresAt) };
}

/** The status in the response to an accepted send, the first time and on each replay. */
export function acceptedStatus(hold: HeldSend | null): Extract<SendVerdict, { kind: 'accepted' }>['status'] {
  return hold === null ? 'queued' : 'pending_approval';
}
