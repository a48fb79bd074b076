import { ALL_SCOPES, LIMITS, type OperationId } from '@postrider/core';
import type { AccountWorld } from '../../http/documented/account-world.ts';
import type { DecidedPart } from './decided-state.ts';

/** A kind of restricted key, with every scope. */
export interface RestrictedKind {
  readonly name: string;
  readonly is: 'held' | 'test' | 'paused' | 'allowlisted' | 'limited';
  /** The columns of its row, as SQL sets them. */
  readonly restriction: string;
  /** What no call of it may change. */
  readonly keeps: 'everything' | readonly DecidedPart[];
}

const ALL_RULES = {
  ...{ firstContact: true, recipientDomainNotIn: [], recipientsOver: 1, hasBcc: true, hasAttachments: true },
  ...{ freeformBody: true, linkDomainNotIn: [] },
};
/** Such a key may manage an account where it has the scopes; what it may not is to make mail leave, or to change what was decided about mail. */
const MAIL: readonly DecidedPart[] = ['outbound', 'captured', 'messages', 'decisions', 'own'];

export const KINDS: readonly RestrictedKind[] = [
  { name: 'a held key', is: 'held', restriction: "approval_mode = 'always'", keeps: 'everything' },
  {
    ...{ name: 'a key held by a policy', is: 'held', keeps: 'everything' },
    restriction: `approval_mode = 'policy', hold_when = '${JSON.stringify(ALL_RULES)}'`,
  },
  { name: 'a test key', is: 'test', restriction: "mode = 'test'", keeps: 'everything' },
  {
    ...{ name: 'an allowlisted key', is: 'allowlisted', keeps: MAIL },
    restriction: "recipient_allowlist = '{@allowed.example}'",
  },
  // Its fixtures use up what it may send before each call.
  { name: 'a key that reached its send limit', is: 'limited', restriction: 'daily_sends = 1', keeps: MAIL },
  { name: 'a paused key', is: 'paused', restriction: 'paused_at = now()', keeps: 'everything' },
];

/** What a paused key may do beyond reading and drafts: it stops mail, or resumes what a key paused. */
const STOPS: readonly OperationId[] = [
  ...(['emails.cancel', 'emails.delete', 'keys.pause', 'keys.revoke', 'account.pause', 'account.resume'] as const),
];

/** What this call may not change. */
export function keptBy({ is, keeps }: RestrictedKind, operation: OperationId): RestrictedKind['keeps'] {
  return is === 'paused' && STOPS.includes(operation) ? ['captured'] : keeps;
}

export interface RestrictedCaller extends RestrictedKind {
  readonly key: string;
  readonly id: string;
}

/** A key of this kind in the account. */
export async function makeCaller(world: AccountWorld, kind: RestrictedKind): Promise<RestrictedCaller> {
  const { server, accountId } = world;
  const mode = kind.is === 'test' ? 'test' : 'live';
  const key = await server.newKey({ accountId, mode, scopes: ALL_SCOPES, rateLimit: LIMITS.keyRatePerMinuteMax });
  const { body } = await server.call('GET', '/keys/self', { key });
  const { sql } = server.database;
  await sql.unsafe(`UPDATE api_keys SET ${kind.restriction} WHERE account_id = $1 AND id = $2`, [accountId, body.id]);
  server.app.services.callers.forget();
  return { ...kind, key, id: body.id };
}

/** A key with a send limit sends what it may. */
export async function useUpLimit({ server }: AccountWorld, { is, key }: RestrictedCaller): Promise<void> {
  if (is === 'limited') await server.send({ to: 'delivered@sandbox.test' }, { key });
}
