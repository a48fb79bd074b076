import type { Approval, MessageApproval } from '@postrider/core';
import { toOneLine } from '../untrusted-text.ts';

/** What an agent is to do about a held send: said with every answer that shows one. */
export const HELD_ADVICE =
  'Held, not sent: a person has to approve it first. Do not send it again; tell the user. wait_for_email with this id tells the decision, and cancel_email takes it back.';

/** How a hold stands, in words; nothing of a third party is in it. */
export function describeHold({
  id,
  status,
  reasons,
  rejectCode,
  edited,
  expiresAt,
}: Omit<MessageApproval, 'note'>): string[] {
  const state: Readonly<Record<Approval['status'], string>> = {
    pending: `waits for a person until ${expiresAt}`,
    approved:
      edited.length === 0 ? 'approved as it was' : `approved after these fields were edited: ${edited.join(', ')}`,
    rejected: `rejected${rejectCode === null ? '' : ` (${rejectCode})`}: nothing was sent; correct it before you send again`,
    expired: 'nobody decided in time: nothing was sent',
    withdrawn: 'taken back: nothing was sent',
  };
  return [`Approval ${id}: ${state[status]}. Held by: ${reasons.join(', ')}`];
}

/** What a person said with a decision. */
export function noteOf(hold: Pick<MessageApproval, 'note'> | null): string[] {
  return hold?.note ? [`Approver’s note: ${toOneLine(hold.note)}`] : [];
}
