import { type ApprovalMode, foldAddress, type HoldReason, type HoldWhen, type RecipientKind } from '@postrider/core';
import type { LinkHosts } from '../../links/link-hosts.ts';
import { hostOfAddress, isForeign, type OwnAddresses } from '../../links/mail-addresses.ts';

/** What a key says of holding what it sends. */
export interface HoldRule {
  readonly mode: Exclude<ApprovalMode, 'off'>;
  /** The rules of the mode `policy`; null where there are none, and then everything is held. */
  readonly holdWhen: HoldWhen | null;
}

/** What the rules need to know of one send. */
export interface HoldQuestion {
  readonly recipients: readonly { readonly email: string; readonly kind: RecipientKind }[];
  /** Attached or within its bodies. */
  readonly carriesFiles: boolean;
  /** Whether all it says is that of a stored template, of an author who is held to nothing, but for short values. */
  readonly isTemplated: boolean;
  readonly links: () => LinkHosts;
  /** Addresses that may be in it, whatever their domain. */
  readonly ownAddresses: OwnAddresses;
  /** Whether the account wrote to this folded address before; null where nobody knows. */
  readonly isKnown: ((email: string) => boolean) | null;
  /** Whether an approver said that the key may write to this folded address. */
  readonly isTrusted: (email: string) => boolean;
}

/**
 * Why a send is held until a person decides; empty where it is not. Of a policy any rule that matches holds, and so does one that cannot be
 * evaluated: all that do are named. Recipients an approver has trusted are no strangers, whoever they are and wherever.
 */
export function findHoldReasons(rule: HoldRule, question: HoldQuestion): readonly HoldReason[] {
  if (rule.mode === 'always' || rule.holdWhen === null) return ['always'];
  const { holdWhen } = rule;
  return RULES.filter(([, holds]) => holds(holdWhen, question)).map(([name]) => name);
}

type Rule = (holdWhen: HoldWhen, question: HoldQuestion) => boolean;

const RULES: readonly (readonly [HoldReason, Rule])[] = [
  ['firstContact', ({ firstContact }, question) => firstContact && strangers(question).some(isUnknown(question))],
  [
    'recipientDomainNotIn',
    ({ recipientDomainNotIn: listed }, question) =>
      listed !== null && strangers(question).some((email) => !isListed(domainOf(email), listed)),
  ],
  [
    'recipientsOver',
    ({ recipientsOver }, { recipients }) => recipientsOver !== null && recipients.length > recipientsOver,
  ],
  ['hasBcc', ({ hasBcc }, { recipients }) => hasBcc && recipients.some(({ kind }) => kind === 'bcc')],
  ['hasAttachments', ({ hasAttachments }, { carriesFiles }) => hasAttachments && carriesFiles],
  ['freeformBody', ({ freeformBody }, { isTemplated }) => freeformBody && !isTemplated],
  [
    'linkDomainNotIn',
    ({ linkDomainNotIn }, { links, ownAddresses }) =>
      linkDomainNotIn !== null && leadsAstray(links(), linkDomainNotIn, ownAddresses),
  ],
];

function strangers({ recipients, isTrusted }: HoldQuestion): readonly string[] {
  return recipients.map(({ email }) => foldAddress(email)).filter((email) => !isTrusted(email));
}

function isUnknown({ isKnown }: HoldQuestion): (email: string) => boolean {
  return (email) => isKnown === null || !isKnown(email);
}

function leadsAstray(
  { hosts, addresses, unreadable }: LinkHosts,
  listed: readonly string[],
  ownAddresses: OwnAddresses,
): boolean {
  const foreign = addresses.filter((address) => isForeign(address, ownAddresses)).map(hostOfAddress);
  return unreadable || [...hosts, ...foreign].some((host) => !isListed(host, listed));
}

/** Exactly that domain: whoever runs it need not run what is below it. */
function isListed(domain: string, listed: readonly string[]): boolean {
  return listed.some((entry) => entry.toLowerCase() === domain);
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}
