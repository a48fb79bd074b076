import type { Role } from './roles.ts';

/**
 * What an operation can affect beyond its caller's own data. Every operation declares one; `CALLER_POLICY` says what each kind of caller may do with it.
 *
 * - `none`: reads, or changes only the caller's own data.
 * - `outbound`: can cause mail to be sent, now or later, or changes a decision about it.
 * - `shapes-outbound`: changes the content or destination of other senders' mail: templates, suppressions, domains, account settings.
 * - `notifies`: sends data to an address the caller chose: webhooks, invitations, tickets.
 * - `controls`: pauses, resumes, keys, approvals, members: who may send and who decides.
 */
export const REACHES = ['none', 'outbound', 'shapes-outbound', 'notifies', 'controls'] as const;

export type Reach = (typeof REACHES)[number];

/**
 * What a kind of caller may do with operations of one reach.
 *
 * - `allow`: what its scopes or role allow.
 * - `judge`: allowed, and each message is checked by the stricter of the issuing key and the caller; a restricted key changes only messages it issued.
 * - `bound`: allowed if the operation compares the object with the caller, as operations on keys do: a test key changes only test keys.
 * - `tighten`: allowed if the operation declares `whilePaused`: it only stops mail, or removes no pause except one set by a key.
 * - `refuse`: refused with `permission_escalation`, whatever its scopes; an operation that can create a draft creates one instead.
 */
export type ReachVerdict = 'allow' | 'judge' | 'bound' | 'tighten' | 'refuse';

type Row = Readonly<Record<Reach, ReachVerdict>>;

const UNRESTRICTED: Row = {
  none: 'allow',
  outbound: 'judge',
  'shapes-outbound': 'allow',
  notifies: 'allow',
  controls: 'allow',
};

/** The policy for keys whose sends no user has approved: their sends are held or not delivered. */
const SUPERVISED: Row = {
  none: 'allow',
  outbound: 'judge',
  'shapes-outbound': 'refuse',
  notifies: 'refuse',
  controls: 'refuse',
};

/** Reach × kind of caller. For a caller of several kinds, the strictest verdict applies. */
export const CALLER_POLICY = {
  'ordinary key': UNRESTRICTED,
  'held key': SUPERVISED,
  'test key': { ...SUPERVISED, controls: 'bound' },
  /** For a paused key or account: it cannot send in another way either, such as through another key. */
  'paused key': { ...SUPERVISED, controls: 'tighten' },
  'allowlisted key': UNRESTRICTED,
  'limited key': UNRESTRICTED,
  owner: UNRESTRICTED,
  admin: UNRESTRICTED,
  developer: UNRESTRICTED,
  approver: UNRESTRICTED,
  viewer: UNRESTRICTED,
  'device session': UNRESTRICTED,
} as const satisfies Readonly<Record<string, Row>>;

export type CallerKind = keyof typeof CALLER_POLICY;

/** The facts that determine the kinds of a caller. */
export interface CallerFacts {
  /** The role of a signed-in user; null for a key. */
  readonly role: Role | null;
  /** Whether the session was started by a device sign-in. */
  readonly isDevice: boolean;
  readonly isHeld: boolean;
  readonly isTest: boolean;
  readonly isAllowlisted: boolean;
  readonly isLimited: boolean;
  /** Whether the calling key or its account is paused; a pause of keys does not restrict users. */
  readonly isPaused: boolean;
}

/** Every kind of caller that these facts imply. */
export function kindsOfCaller(facts: CallerFacts): readonly CallerKind[] {
  if (facts.role !== null) return facts.isDevice ? [facts.role, 'device session'] : [facts.role];
  const kinds: CallerKind[] = [];
  if (facts.isHeld) kinds.push('held key');
  if (facts.isTest) kinds.push('test key');
  if (facts.isPaused) kinds.push('paused key');
  if (facts.isAllowlisted) kinds.push('allowlisted key');
  if (facts.isLimited) kinds.push('limited key');
  return kinds.length === 0 ? ['ordinary key'] : kinds;
}

/** What an operation declares of its reach. */
export interface ReachOfOperation {
  readonly reach: Reach;
  readonly heldAs?: 'draft';
  readonly comparesCaller?: true;
  readonly whilePaused?: true;
}

/** The kind of caller that may not call an operation; null if the caller may. */
export function refusedKind(operation: ReachOfOperation, facts: CallerFacts): CallerKind | null {
  const { reach, heldAs } = operation;
  if (reach === 'none' || heldAs === 'draft') return null;
  return kindsOfCaller(facts).find((kind) => isRefused(CALLER_POLICY[kind][reach], operation)) ?? null;
}

function isRefused(verdict: ReachVerdict, { comparesCaller, whilePaused }: ReachOfOperation): boolean {
  if (verdict === 'bound') return comparesCaller !== true;
  return verdict === 'tighten' ? whilePaused !== true : verdict === 'refuse';
}
