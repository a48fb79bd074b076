import type { MessageOwner } from '../db/queries/queued-messages.ts';
import type { Refusal } from './acceptance.ts';
import type { JudgingKey } from './key-rules.ts';
import { isSendLimited } from './send-limits.ts';

type ChangingCaller = Pick<
  JudgingKey,
  'keyId' | 'mode' | 'approval' | 'recipientAllowlist' | 'sendLimit' | 'makerLimits'
>;

/**
 * Why a caller may not change a queued message; null if it may. A restricted key may change only its own messages. A key in approval mode
 * may not move a time that a user has approved or is asked to approve.
 */
export function refuseChange(
  change: 'cancel' | 'reschedule',
  caller: ChangingCaller,
  { ownerKeyId, holdStatus }: MessageOwner,
): Refusal | null {
  if (!isRestricted(caller)) return null;
  if (ownerKeyId !== caller.keyId) return NOT_OWN;
  if (change !== 'reschedule' || !caller.approval) return null;
  return holdStatus === 'pending' ? PENDING : holdStatus === 'approved' ? APPROVED : null;
}

function isRestricted(caller: ChangingCaller): boolean {
  const { mode, approval, recipientAllowlist } = caller;
  return mode === 'test' || Boolean(approval) || recipientAllowlist !== null || isSendLimited(caller);
}

const NOT_OWN: Refusal = {
  code: 'permission_escalation',
  detail: 'Another key or a user sent this message. A restricted key can change only messages that it sent itself.',
  fix: 'Ask a user of the account to change it, or use a key without restrictions.',
};

const PENDING: Refusal = {
  code: 'permission_escalation',
  detail: 'This message waits for an approver, with its present time. A held key cannot change that time.',
  fix: 'Cancel the message and send it again with the new time, or ask the approver to change the time.',
};

const APPROVED: Refusal = {
  code: 'permission_escalation',
  detail: 'An approver approved this message for its current time. A held key cannot change that time.',
  fix: 'Cancel the message and send it again with the new time: the new send is held for approval.',
};
