import { type ApprovalMode, foldAddress, type HoldReason, type HoldWhen, type RecipientKind } from '@postrider/core';
import type { LinkHosts } from '../../links/link-hosts.ts';
import { hostOfAddress, isForeign, type OwnAddresses } from '../../links/mail-addresses.ts';

/** A key's settings for holding what it sends. */
export interface HoldRule {
  readonly mode: Exclude<ApprovalMode, 'off'>;
  /** The rules of mode `policy`. Null if there are none; then every send is held. */
  readonly holdWhen: HoldWhen | null;
}

/** What the rules need to know about one send. */
export interface HoldQuestion {
  readonly recipients: readonly { readonly email: string; readonly kind: RecipientKind }[];
  /** Whether files are attached or embedded in the bodies. */
  readonly carriesFiles: boolean;
  /** Whether the message is a stored template with only short values added, by an author whose own sends are not held. */
  readonly isTemplated: boolean;
  readonly links: () => LinkHosts;
  /** Addresses that the message may contain, whatever their domain. */
  readonly ownAddresses: OwnAddresses;
  /** Whether the account has sent to this folded address before. Null if that is unknown. */
  readonly isKnown: ((email: string) => boolean) | null;
  /** Whether an approver has allowed the key to send to this folded address. */
  readonly isTrusted: (email: string) => boolean;
}

/**
 * Returns every reason to hold a send for a decision; empty if there is none. A policy rule that cannot be evaluated counts as a match.
 * Recipients that an approver has trusted never match `firstContact` or `recipientDomainNotIn`.
 */
export function findHoldReasons(rule: HoldRule, question: HoldQuestion): readonly HoldReason[] {
  if (rule.mode === 'always' || rule.holdWhen === null) return ['always'];
  const { holdWhen } = rule;
  return RULES.filter(([, holds]) => holds(holdWhen, question)).map(([name]) => name);
}

type Rule = (holdWhen: HoldWhen, question: HoldQuestion) => boolean;

const RULES: readonly (readonly [HoldReason, Rule])[] = [
  ['firstContact', ({ firstContact }, question) => firstContact && newRecipients(question).some(isUnknown(question))],
  [
    'recipientDomainNotIn',
    ({ recipientDomainNotIn: listed }, question) =>
      listed !== null && newRecipients(question).some((email) => !isListed(domainOf(email), listed)),
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
      linkDomainNotIn !== null && hasUnlistedLink(links(), linkDomainNotIn, ownAddresses),
  ],
];

function newRecipients({ recipients, isTrusted }: HoldQuestion): readonly string[] {
  return recipients.map(({ email }) => foldAddress(email)).filter((email) => !isTrusted(email));
}

function isUnknown({ isKnown }: HoldQuestion): (email: string) => boolean {
  return (email) => isKnown === null || !isKnown(email);
}

function hasUnlistedLink(
  { hosts, addresses, unreadable }: LinkHosts,
  listed: readonly string[],
  ownAddresses: OwnAddresses,
): boolean {
  const foreign = addresses.filter((address) => isForeign(address, ownAddresses)).map(hostOfAddress);
  return unreadable || [...hosts, ...foreign].some((host) => !isListed(host, listed));
}

/** Matches exactly that domain, because its subdomains may have other owners. */
function isListed(domain: string, listed: readonly string[]): boolean {
  return listed.some((entry) => entry.toLowerCase() === domain);
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}
