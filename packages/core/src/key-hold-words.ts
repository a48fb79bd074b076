import { isHeldKey, type KeyPolicy } from './key-settings.ts';
import type { HoldWhen } from './schemas/hold-when.ts';
import { inWords } from './word-list.ts';

/** What a key sends or changes that waits until an approver decides, in sentences. */
export function heldInWords(key: KeyPolicy): readonly string[] {
  const sends = key.scopes.includes('emails:send') ? sendsInWords(key) : [];
  const held = [...sends, ...draftsInWords(key)];
  return held.length === 0 ? held : [...held, ...approversInWords(key)];
}

function sendsInWords({ approvalMode, holdWhen }: KeyPolicy): readonly string[] {
  if (approvalMode === 'off') return [];
  if (approvalMode === 'always' || holdWhen === null) return ['Every message waits for a person’s approval.'];
  const kinds = Object.values(RULES).flatMap((describe) => describe(holdWhen) ?? []);
  if (kinds.length === 0) return ['No message waits for approval: the policy has no rule.'];
  return kinds.map((kind) => `Messages ${kind} wait for a person’s approval.`);
}

/** One entry for each rule, so that a new rule does not compile without its words. */
const RULES: { readonly [Rule in keyof HoldWhen]: (rules: HoldWhen) => string | null } = {
  firstContact: ({ firstContact }) => (firstContact ? 'to an address that the account has never sent to' : null),
  recipientDomainNotIn: ({ recipientDomainNotIn: domains }) =>
    domains && (domains.length === 0 ? 'to any domain' : `to a domain other than ${inWords(domains, 'and')}`),
  recipientsOver: ({ recipientsOver: most }) =>
    most === null ? null : `to more than ${most} ${most === 1 ? 'recipient' : 'recipients'}`,
  hasBcc: ({ hasBcc }) => (hasBcc ? 'with bcc recipients' : null),
  hasAttachments: ({ hasAttachments }) => (hasAttachments ? 'with attachments or embedded files' : null),
  freeformBody: ({ freeformBody }) => (freeformBody ? 'that contain more than a stored template' : null),
  linkDomainNotIn: ({ linkDomainNotIn: domains }) =>
    domains &&
    (domains.length === 0 ? 'with any link' : `with a link to a domain other than ${inWords(domains, 'and')}`),
};

function approversInWords({ approvers }: KeyPolicy): readonly string[] {
  if (approvers === undefined) return [];
  const { requirePasskey, count, memberIds } = approvers;
  return [
    ...(count > 1 ? [`${peopleInWords(count, memberIds)} must approve, and an edit restarts the count.`] : []),
    ...(count === 1 && memberIds !== null ? [namedInWords(memberIds.length)] : []),
    ...(requirePasskey ? ['The person who approves confirms each approval with a passkey.'] : []),
  ];
}

function peopleInWords(count: number, memberIds: readonly string[] | null): string {
  if (memberIds === null) return `${count} people`;
  return memberIds.length <= count
    ? `All ${count} named approvers`
    : `${count} of the ${memberIds.length} named approvers`;
}

function namedInWords(count: number): string {
  return count === 1 ? 'Only the named approver can approve.' : `Only the ${count} named approvers can approve.`;
}

function draftsInWords(key: KeyPolicy): readonly string[] {
  const makesDrafts = isHeldKey(key) || key.mode === 'test' || key.isPaused === true;
  if (!makesDrafts || !key.scopes.includes('templates:write')) return [];
  return ['Changes to templates are drafts until an approver publishes them.'];
}
