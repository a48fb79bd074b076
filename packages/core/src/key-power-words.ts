import { factsOfKey, type KeyPolicy } from './key-settings.ts';
import { type ReachOfOperation, refusedKind } from './reach.ts';
import type { Scope } from './scopes.ts';

/** What a scope allows, in sentences, with the reach of its operations. */
export interface KeyPower extends ReachOfOperation {
  readonly may: string;
  /** What it allows a restricted key instead. */
  readonly otherwise?: Readonly<Partial<Record<'test key' | 'paused key', string>>>;
  /** What a restricted key that has it cannot do; by default `mayNot`. */
  readonly refused?: string;
  /** What a key without it cannot do; null where that is no restriction worth a sentence. */
  readonly mayNot: string | null;
}

/** The powers of scopes beyond sending and reading messages, by the reach of their operations. A test compares them with the registry. */
export const KEY_POWERS: Readonly<Partial<Record<Scope, KeyPower>>> = {
  'templates:read': reads('May read and render templates.'),
  'templates:write': {
    reach: 'shapes-outbound',
    may: 'May create, change and delete templates.',
    // Creating and changing them makes drafts.
    refused: 'Cannot rename or delete templates.',
    mayNot: 'Cannot change templates.',
  },
  'domains:read': reads('May read sending domains.'),
  'domains:write': {
    reach: 'shapes-outbound',
    may: 'May add, verify, restore and delete sending domains.',
    mayNot: 'Cannot change sending domains.',
  },
  'webhooks:read': reads('May read webhook endpoints and their deliveries.'),
  'webhooks:write': {
    reach: 'notifies',
    may: 'May create and change webhook endpoints, which receive events.',
    mayNot: 'Cannot create or change webhook endpoints.',
  },
  'suppressions:read': reads('May read the suppression list.'),
  'suppressions:write': {
    reach: 'shapes-outbound',
    may: 'May add suppressions.',
    mayNot: null,
  },
  'suppressions:delete': {
    reach: 'shapes-outbound',
    may: 'May remove suppressions.',
    mayNot: 'Cannot remove suppressions.',
  },
  'stats:read': reads('May read statistics.'),
  'account:read': reads('May read the account.'),
  'account:write': {
    reach: 'shapes-outbound',
    may: 'May change, pause, resume and delete the account.',
    otherwise: { 'paused key': 'May pause the account, and lift a pause that a key set.' },
    mayNot: 'Cannot change the account.',
  },
  'keys:read': reads('May list keys, without their secrets.'),
  'keys:write': {
    reach: 'controls',
    comparesCaller: true,
    may: 'May create and change keys that are restricted at least as much as itself.',
    otherwise: {
      'test key': 'May create and change test keys that are restricted at least as much as itself.',
      'paused key': 'May pause and revoke keys.',
    },
    mayNot: 'Cannot create or change keys.',
  },
  'approvals:read': reads('May read the held messages of the whole account.'),
  'approvals:decide': {
    reach: 'controls',
    may: 'May approve and reject held messages and template drafts.',
    mayNot: 'Cannot decide approvals.',
  },
  'team:read': reads('May list the members of the team.'),
  'team:write': {
    reach: 'notifies',
    may: 'May invite, change and remove members of the team.',
    mayNot: 'Cannot change the team.',
  },
  'logs:read': reads('May read the request log.'),
  'audit:read': reads('May read the audit log.'),
  'support:write': { reach: 'notifies', may: 'May open and answer support tickets.', mayNot: null },
};

/** What the scopes and restrictions of a key allow, and what they do not. */
export function powersInWords(key: KeyPolicy): { readonly may: readonly string[]; readonly mayNot: readonly string[] } {
  const sentences = [
    cancelingInWords(key),
    ...Object.entries(KEY_POWERS).map(([scope, power]) => sentenceOf(key, scope, power)),
  ];
  return {
    may: sentences.flatMap(({ may }) => may ?? []),
    mayNot: sentences.flatMap(({ mayNot }) => mayNot ?? []),
  };
}

interface Sentence {
  readonly may?: string;
  readonly mayNot?: string | null;
}

function sentenceOf(key: KeyPolicy, scope: string, power: KeyPower): Sentence {
  if (!hasScope(key, scope)) return { mayNot: power.mayNot };
  const facts = factsOfKey(key);
  const partial = power.otherwise ?? {};
  const whilePaused = facts.isPaused ? partial['paused key'] : undefined;
  if (whilePaused !== undefined && refusedKind(power, { ...facts, isPaused: false }) === null)
    return { may: whilePaused };
  if (refusedKind(power, facts) !== null) return { mayNot: power.refused ?? power.mayNot };
  return { may: facts.isTest ? (partial['test key'] ?? power.may) : power.may };
}

/** A restricted key changes only what it sent itself. */
function cancelingInWords(key: KeyPolicy): Sentence {
  if (!key.scopes.includes('emails:cancel')) return {};
  const { isHeld, isTest, isAllowlisted, isLimited } = factsOfKey(key);
  const isRestricted = isHeld || isTest || isAllowlisted || isLimited;
  // A new time would be held, or is refused during a pause.
  const verb = isHeld || key.isPaused === true ? 'cancel' : 'cancel and reschedule';
  return { may: `May ${verb} queued messages${isRestricted ? ' that it sent itself' : ' of the whole account'}.` };
}

function hasScope({ scopes }: KeyPolicy, scope: string): boolean {
  return scopes.some((name) => name === scope);
}

function reads(may: string): KeyPower {
  return { reach: 'none', may, mayNot: null };
}
