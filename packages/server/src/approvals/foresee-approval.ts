import { APPROVAL_CHECK_NAMES, type ApprovalCheckName } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { type ApproverRules, readApproverRules } from '../db/queries/approver-rules.ts';
import type { HeldSend } from '../db/queries/held-send.ts';
import type { Caller } from '../keys/caller.ts';
import { checkAcceptance, examineAcceptance, type Refusal } from '../sending/acceptance.ts';
import type { Recipient } from '../sending/recipients.ts';
import { refuseByRules } from './approver-refusal.ts';
import { foreseeDecider } from './judge-decider.ts';
import { passkeyNeeded } from './passkey-approval.ts';
import { readHeldQuestion } from './recheck-acceptance.ts';

export interface ForeseenApproval {
  /** Each check with its refusal; null if it passes. */
  readonly checks: readonly { readonly name: ApprovalCheckName; readonly refusal: Refusal | null }[];
  /** What an approval would be refused with; null if it would send the message. */
  readonly refusal: Refusal | null;
}

/**
 * What an approval would do now, by the rules of the approval itself: it changes, charges and counts nothing. The checks that belong to the
 * decision come first, because a decision that is refused leaves the message held.
 * @param by who would decide: a caller, or the member to whom a link was mailed, whose decision no key's rules restrict
 */
export async function foreseeApproval(
  query: Query,
  settings: { readonly sandboxDomain: string; readonly monthlyQuota: number; readonly baseUrl: string },
  by: Caller | { readonly memberId: string },
  send: HeldSend,
  recipients: readonly Recipient[],
  now: Date,
): Promise<ForeseenApproval> {
  const { accountId, holderId } = send;
  const held = await readHeldQuestion(query, settings, { accountId, keyId: holderId }, send, recipients, now);
  const { account, domain, allowlist, suppression, quota } = examineAcceptance(held.question);
  const hold = endedHold(send, now);
  const rules = await readApproverRules(query, accountId, [holderId, send.keyId]);
  const own =
    ('memberId' in by ? null : refuseDecider(by, holderId)) ??
    (await refuseByRules(query, accountId, rules, 'memberId' in by ? { ...by, isKey: false } : toApprover(by))) ??
    ('memberId' in by
      ? null
      : (refuseWithoutPage(settings, by, send, rules) ??
        (await foreseeDecider(query, by, { hold: { keyId: holderId }, held: send, recipients }, now))));
  const found = { caller: own, hold, key: held.keyFault, account, domain, allowlist, suppression, quota };
  const verdict = checkAcceptance(held.question);
  return {
    checks: APPROVAL_CHECK_NAMES.map((name) => ({ name, refusal: found[name] })),
    refusal: hold ?? own ?? held.keyFault ?? (verdict.ok ? null : verdict),
  };
}

function refuseDecider({ user, approval, keyId, scopes }: Caller, holderId: string): Refusal | null {
  if (user === null && approval !== null) {
    return { code: 'self_approval_forbidden', detail: 'A key in approval mode cannot make decisions.' };
  }
  if (!scopes.includes('approvals:decide')) {
    return { code: 'missing_scope', detail: 'The caller lacks the scope `approvals:decide`.' };
  }
  if (user === null && keyId === holderId) {
    return { code: 'self_approval_forbidden', detail: 'This key sent the message.' };
  }
  return null;
}

function toApprover({ keyId, user }: Caller) {
  return { memberId: keyId, isKey: user === null };
}

/** Where an approval needs a passkey, only a user on the page of the hold can approve. */
function refuseWithoutPage(
  { baseUrl }: { readonly baseUrl: string },
  { user }: Caller,
  { id }: HeldSend,
  { requirePasskey }: ApproverRules,
): Refusal | null {
  const hasPage = user !== null && !user.isDevice;
  if (hasPage || !requirePasskey) return null;
  return { code: 'permission_escalation', ...passkeyNeeded(baseUrl, id) };
}

function endedHold({ status, expiresAt }: HeldSend, now: Date): Refusal | null {
  const ended = status !== 'pending' ? status : expiresAt <= now ? 'expired' : null;
  return ended === null ? null : { code: 'approval_already_decided', detail: `The hold is \`${ended}\`.` };
}
