import type { Approval, MessageApproval } from '@postrider/core';
import { toOneLine } from '../untrusted-text.ts';

/** What an agent should do about a held send; in every result that shows one. */
export const HELD_ADVICE =
  'Held, not sent: an approver has to approve it first. Do not send it again; tell the user. wait_for_email with this id returns the decision. cancel_email withdraws it, if this key may cancel.';

/** The status of a hold in words, without third-party text. */
export function describeHold({
  id,
  status,
  reasons,
  rejectCode,
  edited,
  expiresAt,
}: Omit<MessageApproval, 'note'>): string[] {
  const state: Readonly<Record<Approval['status'], string>> = {
    pending: `waiting for an approver until ${expiresAt}`,
    approved:
      edited.length === 0 ? 'approved unchanged' : `approved after these fields were edited: ${edited.join(', ')}`,
    rejected: `rejected${rejectCode === null ? '' : ` (${rejectCode})`}: nothing was sent; correct it before you send again`,
    expired: 'no one decided in time: nothing was sent',
    withdrawn: 'withdrawn: nothing was sent',
  };
  return [`Approval ${id}: ${state[status]}. Held by: ${reasons.join(', ')}`];
}

/** The note of a decision. */
export function noteOf(hold: Pick<MessageApproval, 'note'> | null): string[] {
  return hold?.note ? [`Approver’s note: ${toOneLine(hold.note)}`] : [];
}
