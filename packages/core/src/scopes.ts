/**
 * What a key may do. Every operation names at most one scope; the shorthands are expanded when a key is created,
 * so a stored key always lists plain scopes.
 */
export const SCOPES = {
  'emails:send': 'Send email, single and in batches.',
  'emails:read': 'Read the message log and message events, without content.',
  'emails:content': 'See rendered bodies, headers and attachments of the messages that the key itself sent.',
  'emails:content-all': 'See rendered bodies, headers and attachments of every message of the account.',
  'emails:cancel': 'Cancel and reschedule messages that are still queued.',
  'templates:read': 'Read and render templates.',
  'templates:write': 'Create, change and delete templates.',
  'domains:read': 'Read sending domains and their DNS records.',
  'domains:write': 'Add, verify, restore and delete sending domains.',
  'webhooks:read': 'Read webhook endpoints and deliveries.',
  'webhooks:write': 'Create and change webhook endpoints, test and replay.',
  'suppressions:read': 'Read the suppression list.',
  'suppressions:write': 'Add suppressions.',
  'suppressions:delete': 'Remove suppressions.',
  'stats:read': 'Read statistics and volume.',
  'account:read': 'Read the account.',
  'account:write': 'Change the account.',
  'keys:read': 'List API keys, without their secrets.',
  'keys:write': 'Create, change, rotate and revoke API keys.',
  'approvals:read': 'Read the held sends of the whole account.',
  'approvals:decide': 'Approve or reject held sends.',
  'team:read': 'List the members of the team.',
  'team:write': 'Invite, change and remove members.',
  'logs:read': 'Read the request log.',
  'audit:read': 'Read the audit log.',
  'support:write': 'Raise and reply to support tickets.',
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as readonly Scope[]; // Object.keys widens to string; the literal above has only scopes.

/** Sets of scopes that can be passed as a scope: `sending` for an application or agent that sends, `full` for everything except deciding holds. */
export const SCOPE_SHORTHANDS: Readonly<Record<'sending' | 'full', readonly Scope[]>> = {
  sending: [
    'emails:send',
    'emails:read',
    'emails:content',
    'emails:cancel',
    'templates:read',
    'domains:read',
    'suppressions:read',
    'stats:read',
  ],
  full: ALL_SCOPES.filter((scope) => scope !== 'approvals:decide'),
};

/** Expands shorthands and removes duplicates, in the catalog's order; the second list has the unknown names. */
export function expandScopes(given: readonly string[]): { scopes: readonly Scope[]; unknown: readonly string[] } {
  const wanted = new Set(
    given.flatMap((name): readonly string[] => (isShorthand(name) ? SCOPE_SHORTHANDS[name] : [name])),
  );
  const scopes = ALL_SCOPES.filter((scope) => wanted.has(scope));
  const unknown = [...wanted].filter((name) => !Object.hasOwn(SCOPES, name));
  return { scopes, unknown };
}

function isShorthand(name: string): name is keyof typeof SCOPE_SHORTHANDS {
  return Object.hasOwn(SCOPE_SHORTHANDS, name);
}
