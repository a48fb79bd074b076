import { findHoldReasons } from '../approvals/holds/hold-rules.ts';
import type { Query } from '../db/client.ts';
import { findKeyById } from '../db/queries/api-keys.ts';
import { type MessageOwner, type QueuedContent, readQueuedContent } from '../db/queries/queued-messages.ts';
import { UNREAD_HOSTS } from '../links/link-hosts.ts';
import { hasUnknownRecipients, UNKNOWN_RECIPIENTS } from '../visibility/known-parts.ts';
import { viewerOf } from '../visibility/viewer.ts';
import { checkKeyRules, type Refusal } from './acceptance.ts';
import type { JudgingKey } from './key-rules.ts';
import { toKeyRules } from './key-rules.ts';

/**
 * Why a key may not move the time of a queued message. A new time counts as a send under the current rules of the caller and of the keys
 * that the message was sent by; otherwise a pause, allowlist or hold set after the send would have no effect on it. Users are not
 * restricted.
 */
export async function judgeReschedule(
  query: Query,
  changer: Parameters<typeof viewerOf>[0] & Pick<JudgingKey, 'accountId'>,
  messageId: string,
  owner: MessageOwner,
): Promise<Refusal | null> {
  const { accountId, keyId } = changer;
  const caller = await findKeyById(query, accountId, keyId);
  if (caller === null || caller.isSeat) return null;
  const content = await readQueuedContent(query, { accountId, messageId, keyId });
  const senders = [...new Set([owner.ownerKeyId, owner.keyId])].filter((id) => id !== keyId);
  const rows = await Promise.all(senders.map((id) => findKeyById(query, accountId, id)));
  const { recipients } = content;
  const isHidden = hasUnknownRecipients(viewerOf(changer), owner.keyId, recipients);
  for (const row of [caller, ...rows]) {
    if (row === null) continue;
    const { pausedBy, recipientAllowlist } = toKeyRules(row);
    // Domains, suppressions and the quota were checked for the send, and delivery checks suppressions again.
    const refusal = checkKeyRules({ recipients: isHidden ? [] : recipients, pausedBy, recipientAllowlist });
    if (refusal !== null) return refusal;
    if (isHidden && recipientAllowlist !== null) return UNKNOWN_RECIPIENTS;
  }
  const { approval } = toKeyRules(caller);
  const reasons = approval === null ? [] : findHoldReasons(approval, toHoldQuestion(content));
  return reasons.length === 0 ? null : wouldBeHeld(reasons);
}

/**
 * Links, files within bodies, templates and earlier contact were read when the message was sent and are not stored, so rules about them
 * hold the message.
 */
function toHoldQuestion({ recipients, trusted }: QueuedContent) {
  return {
    ...{ recipients, carriesFiles: true, isTemplated: false, links: () => UNREAD_HOSTS, isKnown: null },
    ownAddresses: { addresses: new Set<string>(), domain: '' },
    isTrusted: (email: string) => trusted.includes(email),
  };
}

function wouldBeHeld(reasons: readonly string[]): Refusal {
  return {
    code: 'permission_escalation',
    detail: `The calling key is in approval mode, and its rules may hold this message (${reasons.join(', ')}). A new time needs an approver.`,
    fix: 'Cancel the message and send it again with the new time: the new send is held if the rules say so. Or ask a user of the account to change the time.',
  };
}
